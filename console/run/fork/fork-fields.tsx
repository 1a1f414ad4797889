import { formatNumber } from "../../format.ts";
import { Check, TextField } from "../../ui/fields/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { RunDetail } from "../api.ts";
import { toolLabel } from "../text/tool-name.tsx";
import { builtInTools, type Changes, type Forkable, toolsThatLeave } from "./fork-changes.ts";

interface FieldsProps {
  forkable: Forkable;
  changes: Changes;
  detail: RunDetail;
  onChange: (changes: Changes) => void;
}

/** What can be different. A chip adds a field with what was recorded. */
export function ChangeFields({ forkable, changes, detail, onChange }: FieldsProps) {
  const { instructions, tools, input, results } = changes;
  const chosen = forkable.tools.filter((name) => builtInTools.includes(name));
  const without = (index: number): Record<number, string> =>
    Object.fromEntries(Object.entries(results).filter(([each]) => Number(each) !== index));
  return (
    <>
      <div class="field-row two">
        <TextField
          name="Name"
          maxLength={200}
          placeholder={`Fork of ${detail.name}`.slice(0, 80)}
          value={changes.name}
          onInput={(name) => onChange({ ...changes, name })}
        />
        <TextField
          name="Model"
          class="mono"
          placeholder={forkable.model}
          value={changes.model}
          onInput={(model) => onChange({ ...changes, model })}
        />
      </div>
      <fieldset class="field">
        <legend class="name">
          Change <span class="muted">any of these, or none</span>
        </legend>
        <div class="chips">
          <ChangeChip
            name="Instructions"
            on={instructions !== undefined}
            onToggle={(on) => onChange({ ...changes, instructions: on ? forkable.instructions : undefined })}
          />
          <ChangeChip
            name="Tools"
            on={tools !== undefined}
            onToggle={(on) => onChange({ ...changes, tools: on ? chosen : undefined })}
          />
          {forkable.input !== undefined && (
            <ChangeChip
              name="Input of the turn"
              on={input !== undefined}
              onToggle={(on) => onChange({ ...changes, input: on ? forkable.input : undefined })}
            />
          )}
          {forkable.results.map(({ call, text }) => (
            <ChangeChip
              key={call.index}
              name={`Result of ${toolLabel(call.name)}${forkable.results.length > 1 ? `, call ${call.index + 1}` : ""}`}
              on={results[call.index] !== undefined}
              onToggle={(on) =>
                onChange({ ...changes, results: on ? { ...results, [call.index]: text } : without(call.index) })
              }
            />
          ))}
        </div>
      </fieldset>
      {instructions !== undefined && (
        <ChangedText
          name="Instructions"
          text={instructions}
          was={forkable.instructions}
          onText={(text) => onChange({ ...changes, instructions: text })}
        />
      )}
      {tools && (
        <fieldset class="field">
          <legend class="name">Tools</legend>
          <div class="fork-tools">
            {builtInTools.map((name) => (
              <Check
                key={name}
                class="mono"
                checked={tools.includes(name)}
                onChange={(checked) => {
                  const others = tools.filter((each) => each !== name);
                  onChange({ ...changes, tools: checked ? [...others, name] : others });
                }}
              >
                {name}
              </Check>
            ))}
          </div>
          <p class="help">Tools of MCP servers and client tools stay.</p>
        </fieldset>
      )}
      {input !== undefined && (
        <ChangedText
          name="Input of the turn"
          text={input}
          was={forkable.input ?? ""}
          onText={(text) => onChange({ ...changes, input: text })}
        />
      )}
      {forkable.results.map(({ call, text }) => {
        const given = results[call.index];
        return (
          given !== undefined && (
            <ChangedText
              key={call.index}
              name={`Result of ${toolLabel(call.name)}${forkable.results.length > 1 ? `, call ${call.index + 1}` : ""}`}
              text={given}
              was={text}
              onText={(next) => onChange({ ...changes, results: { ...results, [call.index]: next } })}
            />
          )
        );
      })}
    </>
  );
}

function ChangeChip({ name, on, onToggle }: { name: string; on: boolean; onToggle: (on: boolean) => void }) {
  return (
    <button type="button" class={on ? "chip on" : "chip"} aria-pressed={on} onClick={() => onToggle(!on)}>
      <bdi class="cut">{name}</bdi>
      <Icon name={on ? "close" : "plus"} />
    </button>
  );
}

interface ChangedTextProps {
  name: string;
  text: string;
  /** What was recorded. */
  was: string;
  onText: (text: string) => void;
}

function ChangedText({ name, text, was, onText }: ChangedTextProps) {
  return (
    <TextField
      name={name}
      help={text === was ? "Unchanged." : `Was ${formatNumber(was.length)} characters.`}
      class="mono"
      rows={4}
      value={text}
      onInput={onText}
    />
  );
}

/** Which tools reach other systems a second time. */
export function LiveTools({ tools }: { tools: string[] }) {
  const leaving = toolsThatLeave(tools);
  return (
    <p class={leaving.length > 0 ? "note warn" : "note"}>
      <Icon name={leaving.length > 0 ? "warning" : "info"} />
      <span>
        {leaving.length > 0
          ? "Tools that reach other systems will really be called: "
          : "Its tools reach only the files of the fork."}
        {leaving.map((name, index) => (
          <>
            {index > 0 && ", "}
            <bdi class="mono">{name}</bdi>
          </>
        ))}
      </span>
    </p>
  );
}

import { useId } from "preact/hooks";
import { environmentTools, offerFor } from "../../environments.ts";
import { me } from "../../api/session.ts";
import { Check } from "../../ui/fields/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GroupNotes, notesOf } from "../../form/field-notes.tsx";
import type { FormState } from "../../form/form-state.ts";
import { type Draft, type Path, textOf, valueAt } from "../../form/json.ts";
import { agentField } from "./layout.ts";
import type { FieldOf } from "../../form/schema-fields.ts";
import { toolHelp } from "../../tool-help.ts";

const path = ["tools"];

/** The built-in tools of an agent: what each does, and what this service offers for it. */
export function ToolsField({ field, form }: { field: FieldOf<"checks">; form: FormState }) {
  const value = valueAt(form.draft, path);
  const chosen = Array.isArray(value) ? value.map(textOf) : field.preset;
  const notes = notesOf(field, path, form);
  return (
    <fieldset class={notes.was === undefined ? "field" : "field changed"}>
      <legend class="name">{field.label}</legend>
      <ul class="tool-choices">
        {field.options.map((tool) => (
          <ToolChoice
            key={tool}
            tool={tool}
            form={form}
            isChosen={chosen.includes(tool)}
            onToggle={() => {
              const others = chosen.filter((each) => each !== tool);
              form.set(path, others.length < chosen.length ? others : [...chosen, tool]);
            }}
          />
        ))}
      </ul>
      <GroupNotes {...notes} />
    </fieldset>
  );
}

interface ToolChoiceProps {
  tool: string;
  form: FormState;
  isChosen: boolean;
  onToggle: () => void;
}

function ToolChoice({ tool, form, isChosen, onToggle }: ToolChoiceProps) {
  const id = useId();
  const offer = offerFor(tool, me.value?.environments, textOf(form.draft["environment"]));
  return (
    <li>
      <Check
        class="mono"
        checked={isChosen}
        disabled={form.readOnly !== undefined}
        aria-describedby={id}
        onChange={onToggle}
      >
        {tool}
      </Check>
      <p id={id} class="help">
        {toolHelp[tool]}
        {offer && (
          <span class={offer.isMissing ? "offer missing" : "offer"}>
            {offer.isMissing && <Icon name="warning" />}
            {offer.text}
          </span>
        )}
      </p>
    </li>
  );
}

/** The built-in tools of the agent. */
function toolsOf(draft: Draft): string[] {
  const field = agentField("tools");
  const preset = field.kind === "checks" ? field.preset : [];
  return Array.isArray(draft["tools"]) ? draft["tools"].map(textOf) : preset;
}

/** Whether the agent's environment matters: it names one, or has a tool that runs in it. */
export function needsEnvironment({ draft }: FormState): boolean {
  const { tools, environment } = draft;
  return (
    environment !== undefined || (Array.isArray(tools) && tools.some((tool) => environmentTools.has(textOf(tool))))
  );
}

/** Names that a field of the form suggests: `configurations` are those of the organization's further models. */
export function knownNames(of: Path, draft: Draft, configurations: string[]): string[] {
  if (of.at(-1) === "modelConfiguration") return configurations;
  const name = of.join(".");
  if (name === "toolPolicy") return toolsOf(draft);
  return name === "environment" ? (me.value?.environments ?? []).map((each) => each.name) : [];
}

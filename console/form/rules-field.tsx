import { Select } from "../ui/fields/field.tsx";
import { GroupNotes, notesOf } from "./field-notes.tsx";
import type { FormState } from "./form-state.ts";
import { isObject, type Json, type Path, textOf, valueAt } from "./json.ts";
import type { FieldOf } from "./schema-fields.ts";

interface RulesFieldProps {
  field: FieldOf<"rules">;
  path: Path;
  form: FormState;
}

/** A choice for each of some names: those that are known, and others that a person types, such as the tools of an MCP server. */
export function RulesField({ field, path, form }: RulesFieldProps) {
  const value = valueAt(form.draft, path);
  const known = form.known?.(path) ?? [];
  const rules = isObject(value) ? Object.entries(value) : [];
  const typed = rules.filter(([name]) => !known.includes(name));
  const isDisabled = form.readOnly !== undefined;
  const isFull = field.most !== undefined && rules.length >= field.most;
  const store = (next: [string, Json][]): void =>
    form.set(path, next.length > 0 ? Object.fromEntries(next) : undefined);
  const rename = (from: string, to: string): void => {
    if (!rules.some(([name]) => name === to)) store(rules.map(([name, rule]) => [name === from ? to : name, rule]));
  };
  const rule = (name: string, preset: boolean) => (
    <Select
      aria-label={`Rule for ${name || "the new tool"}`}
      value={textOf(valueAt(form.draft, [...path, name]))}
      disabled={isDisabled}
      options={[
        ...(preset ? [["", "default"] as const] : []),
        ...field.options.map((option) => [option, option] as const),
      ]}
      onChange={(option) => form.set([...path, name], option || undefined)}
    />
  );
  return (
    <fieldset class="field rules-field">
      <legend class="name">{field.label}</legend>
      {known.map((name) => (
        <div key={name} class="rule-row">
          <span class="mono">{name}</span>
          {rule(name, true)}
        </div>
      ))}
      {typed.map(([name], index) => (
        <div key={index} class="rule-row">
          <input
            class="input mono"
            aria-label="Name of a tool"
            placeholder="SERVER__TOOL or SERVER__*"
            value={name}
            readOnly={isDisabled}
            autocomplete="off"
            spellcheck={false}
            onChange={({ currentTarget }) => rename(name, currentTarget.value.trim())}
          />
          {rule(name, false)}
          <button
            type="button"
            class="button plain small"
            disabled={isDisabled}
            aria-label={`Remove the rule for ${name || "the new tool"}`}
            onClick={() => store(rules.filter((each) => each[0] !== name))}
          >
            Remove
          </button>
        </div>
      ))}
      <GroupNotes {...notesOf(field, path, form)} />
      <button
        type="button"
        class="button small"
        disabled={isDisabled || isFull || rules.some(([name]) => name === "")}
        onClick={() => store([...rules, ["", field.options[1] ?? ""]])}
      >
        {isFull ? `At most ${field.most}` : "Add a rule for another tool"}
      </button>
    </fieldset>
  );
}

import { useId } from "preact/hooks";
import { Check, Select } from "../../ui/field.tsx";
import { EditedField, GroupNotes, notesOf } from "./field-notes.tsx";
import type { FormState } from "./form-state.ts";
import { type Path, textOf, valueAt } from "./json.ts";
import type { FieldOf } from "./schema-fields.ts";

interface ChoiceProps<Kind extends "choice" | "flag" | "checks" | "texts"> {
  field: FieldOf<Kind>;
  path: Path;
  form: FormState;
}

/** One of some values, or none. */
export function ChoiceField({ field, path, form }: ChoiceProps<"choice">) {
  const value = valueAt(form.draft, path);
  return (
    <EditedField name={field.label} {...notesOf(field, path, form)}>
      {(control) => (
        <Select
          {...control}
          value={textOf(value)}
          disabled={form.readOnly !== undefined}
          options={[["", "default"], ...field.options.map((option) => [option, option] as const)]}
          onChange={(option) => form.set(path, option || undefined)}
        />
      )}
    </EditedField>
  );
}

/** Not set, or the opposite of the default. */
export function FlagField({ field, path, form }: ChoiceProps<"flag">) {
  const notes = notesOf(field, path, form);
  const id = useId();
  return (
    <div class={notes.was === undefined ? "field" : "field changed"}>
      <Check
        checked={(valueAt(form.draft, path) ?? field.preset) === true}
        disabled={form.readOnly !== undefined}
        aria-describedby={id}
        onChange={(checked) => form.set(path, checked === field.preset ? undefined : checked)}
      >
        {field.label}
      </Check>
      <GroupNotes id={id} {...notes} />
    </div>
  );
}

/** Any of some values, such as the built-in tools. Not set, it has the schema's default. */
export function ChecksField({ field, path, form }: ChoiceProps<"checks">) {
  const value = valueAt(form.draft, path);
  const chosen = Array.isArray(value) ? value.map(textOf) : field.preset;
  const notes = notesOf(field, path, form);
  const toggle = (option: string): void => {
    const next = chosen.includes(option) ? chosen.filter((each) => each !== option) : [...chosen, option];
    form.set(path, next);
  };
  return (
    <fieldset class={notes.was === undefined ? "field" : "field changed"}>
      <legend class="name">{field.label}</legend>
      <div class="checks-grid">
        {field.options.map((option) => (
          <Check
            key={option}
            class="mono"
            checked={chosen.includes(option)}
            disabled={form.readOnly !== undefined}
            onChange={() => toggle(option)}
          >
            {option}
          </Check>
        ))}
      </div>
      <GroupNotes {...notes} />
    </fieldset>
  );
}

/** A list of texts, separated by commas. */
export function TextsField({ field, path, form }: ChoiceProps<"texts">) {
  const value = valueAt(form.draft, path);
  return (
    <EditedField
      name={
        <>
          {field.label} <span class="hint">separated by commas</span>
        </>
      }
      {...notesOf(field, path, form)}
    >
      {(control) => (
        <input
          {...control}
          class="input mono"
          autocomplete="off"
          defaultValue={Array.isArray(value) ? value.map(textOf).join(", ") : ""}
          key={JSON.stringify(value ?? [])}
          readOnly={form.readOnly !== undefined}
          onChange={({ currentTarget }) => {
            const texts = currentTarget.value.split(",").map((text) => text.trim());
            const entries = [...new Set(texts.filter((text) => text !== ""))];
            form.set(path, entries.length > 0 ? entries : undefined);
          }}
        />
      )}
    </EditedField>
  );
}

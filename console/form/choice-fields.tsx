import { useId, useState } from "preact/hooks";
import { Check, Select } from "../ui/fields/field.tsx";
import { problemOf } from "./body.ts";
import { EditedField, GroupNotes, notesOf } from "./field-notes.tsx";
import type { FormState } from "./form-state.ts";
import { isEqual, type Path, textOf, valueAt } from "./json.ts";
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
          options={[["", "default"], ...field.options.map(textOf).map((option) => [option, option] as const)]}
          onChange={(chosen) =>
            form.set(
              path,
              field.options.find((option) => textOf(option) === chosen),
            )
          }
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
    const next = field.options.filter((each) => chosen.includes(each) !== (each === option));
    form.set(path, field.nullable && isEqual(next, field.preset) ? undefined : next);
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
      <GroupNotes {...notes} problem={problemOf(field, value) ?? notes.problem} />
    </fieldset>
  );
}

/** A list of texts, separated by commas or lines. */
export function TextsField({ field, path, form }: ChoiceProps<"texts">) {
  const [typed, setTyped] = useState("");
  const value = valueAt(form.draft, path);
  const texts = Array.isArray(value) ? value.map(textOf) : [];
  return (
    <EditedField
      name={
        <>
          {field.label} <span class="hint">separated by commas or lines</span>
        </>
      }
      {...notesOf(field, path, form)}
    >
      {(control) => (
        <textarea
          {...control}
          class="input mono texts"
          rows={1}
          autocomplete="off"
          spellcheck={false}
          value={isEqual(textsIn(typed), texts) ? typed : texts.join(", ")}
          readOnly={form.readOnly !== undefined}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            const entered = textsIn(currentTarget.value);
            form.set(path, entered.length > 0 ? entered : undefined);
          }}
        />
      )}
    </EditedField>
  );
}

function textsIn(typed: string): string[] {
  return [...new Set(typed.split(/[\s,]+/).filter((text) => text !== ""))];
}

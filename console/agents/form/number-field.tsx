import { useState } from "preact/hooks";
import { Field } from "../../ui/Field.tsx";
import type { FormState } from "./form-state.ts";
import { fieldNotes } from "./field-notes.ts";
import { type Path, valueAt } from "./json.ts";
import { amountText, parseNumber } from "./numbers.ts";
import type { FieldOf } from "./schema-fields.ts";

/** A number with thousands separators. What is not a number stays in the draft as it was typed, and is reported. */
export function NumberField({ field, path, form }: { field: FieldOf<"number">; path: Path; form: FormState }) {
  const [typed, setTyped] = useState<string>();
  const value = valueAt(form.draft, path);
  const shown = typeof value === "number" ? amountText(field.name, value) : String(value ?? "");
  const { error, ...notes } = fieldNotes(field, path, form);
  const wrong = value === undefined || typeof value === "number" ? undefined : `Enter a ${field.whole ? "whole " : ""}number.`;
  return (
    <Field label={field.label} {...notes} error={wrong ?? error}>
      {(attributes) => (
        <input
          {...attributes}
          class="input"
          inputMode={field.whole ? "numeric" : "decimal"}
          autocomplete="off"
          value={typed ?? shown}
          placeholder={field.placeholder}
          title={field.help?.replaceAll("`", "")}
          readOnly={form.readOnly !== undefined}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            const text = currentTarget.value.trim();
            form.set(path, text === "" ? undefined : (parseNumber(text) ?? text));
          }}
          onBlur={() => setTyped(undefined)}
        />
      )}
    </Field>
  );
}

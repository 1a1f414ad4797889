import { useState } from "preact/hooks";
import { EditedField, notesOf } from "./field-notes.tsx";
import type { FormState } from "./form-state.ts";
import { type Path, valueAt } from "./json.ts";
import { amountText, parseNumber } from "./numbers.ts";
import { problemOf } from "./body.ts";
import type { FieldOf } from "./schema-fields.ts";

/** A number with thousands separators. What is not a number stays in the draft as it was typed, and is reported. */
export function NumberField({ field, path, form }: { field: FieldOf<"number">; path: Path; form: FormState }) {
  const [typed, setTyped] = useState<string>();
  const value = valueAt(form.draft, path);
  const shown = typeof value === "number" ? amountText(field.name, value) : typeof value === "string" ? value : "";
  const notes = notesOf(field, path, form);
  const problem = problemOf(field, value) ?? notes.problem;
  return (
    <EditedField name={field.label} {...notes} problem={problem}>
      {(control) => (
        <input
          {...control}
          class="input"
          inputMode={field.whole ? "numeric" : "decimal"}
          autocomplete="off"
          value={typed ?? shown}
          placeholder={field.placeholder}
          title={field.tooltip}
          readOnly={form.readOnly !== undefined}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            const text = currentTarget.value.trim();
            form.set(path, text === "" ? undefined : (parseNumber(text) ?? text));
          }}
          onBlur={() => setTyped(undefined)}
        />
      )}
    </EditedField>
  );
}

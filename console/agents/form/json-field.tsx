import { useState } from "preact/hooks";
import { EditedField, notesOf } from "./field-notes.tsx";
import type { FormState } from "./form-state.ts";
import { formatDraft, parseObject } from "./json-text.ts";
import { isObject, type Json, type Path, textOf, valueAt } from "./json.ts";
import type { FieldOf } from "./schema-fields.ts";

/** A free JSON object, as text. What is not JSON stays in the draft as it was typed, and is reported. */
export function JsonField({ field, path, form }: { field: FieldOf<"json">; path: Path; form: FormState }) {
  const [typed, setTyped] = useState("");
  const value = valueAt(form.draft, path);
  const notes = notesOf(field, path, form);
  const read = parseObject(textOf(value));
  const problem = typeof value === "string" && "problem" in read ? read.problem : notes.problem;
  return (
    <EditedField name={field.label} {...notes} problem={problem}>
      {(control) => (
        <textarea
          {...control}
          class="input mono json"
          rows={4}
          spellcheck={false}
          autocapitalize="off"
          value={isSame(valueOf(typed), value) ? typed : shownText(value)}
          readOnly={form.readOnly !== undefined}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            form.set(path, valueOf(currentTarget.value));
          }}
        />
      )}
    </EditedField>
  );
}

/** The value of a typed text: the text itself, if it is no JSON object. */
function valueOf(typed: string): Json | undefined {
  if (typed.trim() === "") return undefined;
  const read = parseObject(typed);
  return "value" in read ? read.value : typed;
}

/** Also the order of fields is the same. */
function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function shownText(value: Json | undefined): string {
  return isObject(value) ? formatDraft(value) : textOf(value);
}

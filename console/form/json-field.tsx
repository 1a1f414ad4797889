import { useState } from "preact/hooks";
import { EditedField, notesOf } from "./field-notes.tsx";
import type { FormState } from "./form-state.ts";
import { formatDraft, parseList, parseObject } from "./json-text.ts";
import { isObject, type Json, type Path, textOf, valueAt } from "./json.ts";
import type { FieldOf } from "./schema-fields.ts";

/** A free JSON object, or a list of them, as text. What is not JSON stays in the draft as it was typed, and is reported. */
export function JsonField({ field, path, form }: { field: FieldOf<"json">; path: Path; form: FormState }) {
  const [typed, setTyped] = useState("");
  const value = valueAt(form.draft, path);
  const notes = notesOf(field, path, form);
  const parse = field.list ? parseList : parseObject;
  const valueOf = (text: string): Json | undefined => valueIn(text, parse);
  const read = parse(textOf(value));
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

/** The value of a typed text: the text itself, if it is not what is expected. */
function valueIn(typed: string, parse: typeof parseObject | typeof parseList): Json | undefined {
  if (typed.trim() === "") return undefined;
  const read = parse(typed);
  return "value" in read ? read.value : typed;
}

/** Also the order of fields is the same. */
function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function shownText(value: Json | undefined): string {
  return isObject(value) || Array.isArray(value) ? formatDraft(value) : textOf(value);
}

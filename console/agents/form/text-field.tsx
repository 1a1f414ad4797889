import { Field, type InputAttributes } from "../../ui/Field.tsx";
import { fieldNotes } from "./field-notes.ts";
import type { FormState } from "./form-state.ts";
import { type Path, pathText, valueAt } from "./json.ts";
import type { FieldOf } from "./schema-fields.ts";

interface TextFieldProps {
  field: FieldOf<"text">;
  path: Path;
  form: FormState;
}

export function TextField({ field, path, form }: TextFieldProps) {
  const value = valueAt(form.draft, path);
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  const notes = fieldNotes(field, path, form);
  return (
    <Field label={field.label} {...notes} help={withLength(notes.help, field, text)}>
      {(attributes) => <TextInput attributes={attributes} field={field} path={path} form={form} text={text} />}
    </Field>
  );
}

function TextInput({ attributes, field, path, form, text }: TextFieldProps & { attributes: InputAttributes; text: string }) {
  const common = {
    ...attributes,
    value: text,
    readOnly: form.readOnly !== undefined,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => {
      const isGone = currentTarget.value === "" && !field.required;
      form.set(path, isGone ? undefined : currentTarget.value);
    },
  };
  if (field.long) return <textarea {...common} class="input instructions" rows={5} spellcheck />;
  const isModel = pathText(path) === "model";
  const list = field.secret ? `${attributes.id}-secrets` : undefined;
  return (
    <>
      <input
        {...common}
        class={isModel || field.secret || field.name === "url" ? "input mono" : "input"}
        autocomplete="off"
        spellcheck={false}
        list={list}
        placeholder={isModel ? form.organizationModel : undefined}
      />
      {list !== undefined && (
        <datalist id={list}>
          {form.secrets.accepted?.map((secret) => (
            <option key={secret} value={secret} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** "331 of 100,000 characters" with texts that can be long. */
function withLength(help: string | undefined, { long, maxLength }: FieldOf<"text">, text: string): string | undefined {
  if (!long || maxLength === undefined) return help;
  const length = `${text.length.toLocaleString("en-US")} of ${maxLength.toLocaleString("en-US")} characters.`;
  return help === undefined ? length : `${help} ${length}`;
}

import { useId } from "preact/hooks";
import type { FieldControl } from "../ui/fields/field.tsx";
import { EditedField, notesOf } from "./field-notes.tsx";
import type { FormState } from "./form-state.ts";
import { type Path, pathText, textOf, valueAt } from "./json.ts";
import type { FieldOf } from "./schema-fields.ts";
import { SecretInput } from "../ui/fields/secret-input.tsx";

interface TextFieldProps {
  field: FieldOf<"text">;
  path: Path;
  form: FormState;
}

export function TextField({ field, path, form }: TextFieldProps) {
  const value = valueAt(form.draft, path);
  const text = textOf(value);
  const notes = notesOf(field, path, form);
  return (
    <EditedField name={field.label} {...notes} help={withLength(notes.help, field, text)}>
      {(control) => <TextInput control={control} field={field} path={path} form={form} text={text} />}
    </EditedField>
  );
}

function TextInput({ control, field, path, form, text }: TextFieldProps & { control: FieldControl; text: string }) {
  const choices = useId();
  const isReadOnly = form.readOnly !== undefined;
  const set = (value: string): void => form.set(path, value === "" && !field.keepsEmpty ? undefined : value);
  const common = {
    ...control,
    value: text,
    readOnly: isReadOnly,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => set(currentTarget.value),
  };
  if (field.secret) return <SecretInput control={control} value={text} readOnly={isReadOnly} onInput={set} />;
  if (field.long) return <textarea {...common} class="input instructions" rows={5} spellcheck />;
  const placeholder = form.placeholder?.(path) ?? field.example;
  const known = form.known?.(path) ?? [];
  return (
    <>
      <input
        {...common}
        class={placeholder !== undefined || field.name === "url" ? "input mono" : "input"}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        autofocus={form.focused === pathText(path)}
        list={known.length > 0 ? choices : undefined}
      />
      {known.length > 0 && (
        <datalist id={choices}>
          {known.map((name) => (
            <option key={name} value={name} />
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

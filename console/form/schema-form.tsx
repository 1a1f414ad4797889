import { GroupNotes, notesOf } from "./field-notes.tsx";
import type { ComponentChildren } from "preact";
import type { FormState } from "./form-state.ts";
import type { Path } from "./json.ts";
import { ListField } from "./list-field.tsx";
import { MapField } from "./map-field.tsx";
import { RulesField } from "./rules-field.tsx";
import type { Field, FieldOf } from "./schema-fields.ts";
import { SimpleField } from "./simple-field.tsx";

interface SchemaFieldsProps {
  fields: Field[];
  form: FormState;
  /** Where the fields are. Default: at the top. */
  path?: Path;
  /** How many short fields stand beside each other. */
  columns?: "one" | "two" | "three";
  /** Shown below a short field. */
  below?: ((name: string) => ComponentChildren) | undefined;
}

/** Fields of a form: the short ones beside each other, then the others. */
export function SchemaFields({ fields, form, path = [], columns = "three", below }: SchemaFieldsProps) {
  const short = fields.filter(isShort);
  return (
    <>
      {short.length > 0 && (
        <div class={`field-row ${columns}`}>
          {short.map((field) => (
            <div key={field.name}>
              <SimpleField field={field} path={[...path, field.name]} form={form} />
              {below?.(field.name)}
            </div>
          ))}
        </div>
      )}
      {fields
        .filter((field) => !isShort(field))
        .map((field) => (
          <AnyField key={field.name} field={field} path={[...path, field.name]} form={form} />
        ))}
    </>
  );
}

function isShort({ kind }: Field): boolean {
  return !["group", "list", "map", "rules", "json", "checks"].includes(kind);
}

/** A field of any kind. */
export function AnyField({ field, path, form }: { field: Field; path: Path; form: FormState }) {
  if (field.kind === "group") return <GroupField field={field} path={path} form={form} />;
  if (field.kind === "rules") return <RulesField field={field} path={path} form={form} />;
  if (field.kind === "list") return <ListField field={field} path={path} form={form} />;
  if (field.kind === "map") return <MapField field={field} path={path} form={form} />;
  return <SimpleField field={field} path={path} form={form} />;
}

function GroupField({ field, path, form }: { field: FieldOf<"group">; path: Path; form: FormState }) {
  const { help, problem } = notesOf(field, path, form);
  return (
    <fieldset class="field group-field">
      <legend class="name">{field.label}</legend>
      <SchemaFields fields={field.fields} form={form} path={path} />
      <GroupNotes help={help} problem={problem} />
    </fieldset>
  );
}

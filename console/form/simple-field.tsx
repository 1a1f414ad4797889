import { ChecksField, ChoiceField, FlagField, TextsField } from "./choice-fields.tsx";
import type { FormState } from "./form-state.ts";
import { JsonField } from "./json-field.tsx";
import type { Path } from "./json.ts";
import { NumberField } from "./number-field.tsx";
import type { Field } from "./schema-fields.ts";
import { TextField } from "./text-field.tsx";

/** The input of a value that is not an object. */
export function SimpleField({ field, path, form }: { field: Field; path: Path; form: FormState }) {
  switch (field.kind) {
    case "text":
      return <TextField field={field} path={path} form={form} />;
    case "number":
      return <NumberField field={field} path={path} form={form} />;
    case "choice":
      return <ChoiceField field={field} path={path} form={form} />;
    case "flag":
      return <FlagField field={field} path={path} form={form} />;
    case "checks":
      return <ChecksField field={field} path={path} form={form} />;
    case "texts":
      return <TextsField field={field} path={path} form={form} />;
    case "json":
      return <JsonField field={field} path={path} form={form} />;
    case "group":
    case "list":
    case "map":
    case "rules":
      return null; // objects have their own components
  }
}

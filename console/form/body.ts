import type { Draft, Json } from "./json.ts";
import type { Field } from "./schema-fields.ts";

/** What a form of a body begins with: the fields that are set. */
export function draftOf(stored: object, fields: Field[]): Draft {
  const values = stored as Record<string, Json | undefined>;
  return Object.fromEntries(fields.flatMap(({ name }) => (values[name] == null ? [] : [[name, values[name]]])));
}

/** The body of a filled form: an empty field is null where it may be, and left out otherwise. */
export function bodyOf(draft: Draft, fields: Field[]): Draft {
  const entries = fields.flatMap((field): [string, Json][] => {
    const value =
      entered(field, draft[field.name]) ?? (field.nullable ? null : field.required ? emptyOf(field) : undefined);
    return value === undefined ? [] : [[field.name, value]];
  });
  return Object.fromEntries(entries);
}

function entered({ kind, ...field }: Field, value: Json | undefined): Json | undefined {
  const isLine = kind === "text" && typeof value === "string" && !("long" in field && field.long);
  return isLine ? value.trim() || undefined : value;
}

function emptyOf({ kind }: Field): Json | undefined {
  return kind === "texts" || kind === "checks" ? [] : undefined;
}

/** What is wrong with a value as it was typed. Undefined: only the service can say. */
export function problemOf(field: Field, value: Json | undefined): string | undefined {
  if (field.kind === "number" && typeof value === "string") return `Enter a ${field.whole ? "whole " : ""}number.`;
  if (field.kind === "checks" && Array.isArray(value) && value.length < field.least) return "Choose at least one.";
  return undefined;
}

/** Whether a body can be sent: required texts are entered, and numbers are numbers. */
export function isComplete(draft: Draft, fields: Field[]): boolean {
  return fields.every((field) => {
    const value = draft[field.name];
    if (field.kind === "group") return isComplete((value ?? {}) as Draft, field.fields.map(optionalIn(value)));
    return problemOf(field, value) === undefined && !(field.kind === "text" && field.required && !value);
  });
}

/** What a group that is not entered does not require. */
function optionalIn(group: Json | undefined): (field: Field) => Field {
  return (field) => (group === undefined ? { ...field, required: false } : field);
}

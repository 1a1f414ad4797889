import { ApiError } from "../api/client.ts";
import { type FieldMessages, fieldMessages, type Violation } from "./messages.ts";
import type { Field } from "./schema-fields.ts";

/** What is wrong with a rejected body, at the fields of its form. */
export function messagesOf(error: unknown, fields: readonly Field[]): FieldMessages {
  return fieldMessages(
    detailOf(error),
    fields.map(({ name }) => name),
  );
}

/** The messages that belong to no field, as one text. Undefined: there are none. */
export function otherText({ other }: FieldMessages): string | undefined {
  return other.join(". ") || undefined;
}

/** The violations of a rejected body, or the sentence of another error. */
function detailOf(error: unknown): string | Violation[] {
  if (error instanceof ApiError) return error.issues.length > 0 ? error.issues : error.message;
  return error instanceof Error ? error.message : String(error);
}

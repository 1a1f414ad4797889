import { wasText } from "./changes.ts";
import type { FormState } from "./form-state.ts";
import { type Path, pathText } from "./json.ts";
import { helpOf } from "./layout.ts";
import { messageOf } from "./messages.ts";
import type { Field } from "./schema-fields.ts";

/** What stands below a field: its help, what it was, and what is wrong with it. */
export function fieldNotes(field: Field, path: Path, { changes, messages }: FormState) {
  const change = changes.get(pathText(path));
  const isWhole = field.kind === "texts" || field.kind === "checks";
  return {
    help: helpOf(field, path),
    was: change && wasText(change),
    error: messageOf(messages, path, isWhole),
  };
}

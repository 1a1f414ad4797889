import type { ComponentChildren } from "preact";
import { Field, type FieldControl, FieldProblem } from "../ui/fields/field.tsx";
import { wasText } from "./changes.ts";
import type { FormState } from "./form-state.ts";
import { type Path, pathText } from "./json.ts";
import { messageOf, partMessage } from "./messages.ts";
import type { Field as SchemaField } from "./schema-fields.ts";

interface Notes {
  /** What it is. Undefined: the name says it. */
  help: string | undefined;
  /** The stored value of a changed field: `was 40`. */
  was: string | undefined;
  /** What is wrong with it. */
  problem: string | undefined;
}

/** What stands below a field of the form. */
export function notesOf(field: SchemaField, path: Path, { changes, messages }: FormState): Notes {
  const change = changes.get(pathText(path));
  const isWhole = field.kind === "texts" || field.kind === "checks";
  const problem =
    messageOf(messages, path, isWhole) ?? (field.kind === "json" ? partMessage(messages, path) : undefined);
  return { help: field.help, was: change && wasText(change), problem };
}

interface EditedFieldProps extends Notes {
  name: ComponentChildren;
  children: (control: FieldControl) => ComponentChildren;
}

/** An input of the form. A changed one is marked, and says what it was. */
export function EditedField({ name, help, was, problem, children }: EditedFieldProps) {
  const notes = was === undefined ? help : <WasAndHelp was={was} help={help} />;
  return (
    <div class={was === undefined ? "edited" : "edited changed"}>
      <Field name={name} problem={problem} {...(notes !== undefined && { help: notes })}>
        {children}
      </Field>
    </div>
  );
}

function WasAndHelp({ was, help }: Pick<Notes, "was" | "help">) {
  return (
    <>
      {was}
      {help !== undefined && <br />}
      {help}
    </>
  );
}

/** The notes below a group of inputs. */
export function GroupNotes({ id, help, was, problem }: Partial<Notes> & { id?: string }) {
  return (
    <>
      {problem !== undefined && <FieldProblem>{problem}</FieldProblem>}
      {(was !== undefined || help !== undefined) && (
        <p class="help" id={id}>
          {was === undefined ? help : <WasAndHelp was={was} help={help} />}
        </p>
      )}
    </>
  );
}

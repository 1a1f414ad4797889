import { Warning } from "../ui/problem.tsx";
import { GroupNotes, notesOf } from "./field-notes.tsx";
import type { FormState } from "./form-state.ts";
import { isObject, type Path, textOf, valueAt } from "./json.ts";
import { MapField } from "./map-field.tsx";
import { SimpleField } from "./simple-field.tsx";
import type { FieldOf } from "./schema-fields.ts";

/** A list of objects, such as MCP servers: one panel each. */
export function ListField({ field, path, form }: { field: FieldOf<"list">; path: Path; form: FormState }) {
  const value = valueAt(form.draft, path);
  const entries = Array.isArray(value) ? value : [];
  const { help, problem } = notesOf(field, path, form);
  const isFull = field.most !== undefined && entries.length >= field.most;
  return (
    <fieldset class="field list-field">
      <legend class="name">{field.label}</legend>
      {entries.map((entry, index) => (
        <div key={index} class="list-entry">
          <div class="list-entry-head">
            <strong class="mono">{(isObject(entry) && textOf(entry["name"])) || `new ${field.entry.noun}`}</strong>
            <button
              type="button"
              class="button plain small"
              disabled={form.readOnly !== undefined}
              onClick={() => form.set(entries.length === 1 ? path : [...path, index], undefined)}
            >
              Remove
            </button>
          </div>
          <ListEntry field={field} path={[...path, index]} form={form} />
        </div>
      ))}
      <GroupNotes help={help} problem={problem} />
      <button
        type="button"
        class="button small"
        disabled={isFull || form.readOnly !== undefined}
        onClick={() => form.set(path, [...entries, field.entry.start])}
      >
        {isFull ? `At most ${field.most}` : `Add a ${field.entry.noun}`}
      </button>
    </fieldset>
  );
}

function ListEntry({ field, path, form }: { field: FieldOf<"list">; path: Path; form: FormState }) {
  const warning = form.warning?.(path);
  return (
    <div class="list-entry-fields">
      {field.fields.map((each) =>
        each.kind === "map" ? (
          <div key={each.name}>
            <MapField field={each} path={[...path, each.name]} form={form} />
            {warning !== undefined && <Warning isLive>{warning}</Warning>}
          </div>
        ) : (
          <SimpleField key={each.name} field={each} path={[...path, each.name]} form={form} />
        ),
      )}
    </div>
  );
}

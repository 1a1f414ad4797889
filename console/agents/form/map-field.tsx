import { GroupNotes, notesOf } from "./field-notes.tsx";
import type { FormState } from "./form-state.ts";
import { me } from "../../api/session.ts";
import { isObject, type Json, type Path, valueAt } from "./json.ts";
import { SimpleField } from "./simple-field.tsx";
import type { FieldOf } from "./schema-fields.ts";

/** Named objects, such as the headers of a server: a row each, with its name and its fields. */
export function MapField({ field, path, form }: { field: FieldOf<"map">; path: Path; form: FormState }) {
  const value = valueAt(form.draft, path);
  const rows = isObject(value) ? Object.entries(value) : [];
  const { help, problem } = notesOf(field, path, form);
  const store = (next: [string, Json][]): void =>
    form.set(path, next.length > 0 ? Object.fromEntries(next) : undefined);
  const rename = (from: string, to: string): void => {
    if (!rows.some(([name]) => name === to)) store(rows.map(([name, of]) => [name === from ? to : name, of]));
  };
  const isDisabled = form.readOnly !== undefined;
  return (
    <fieldset class="field map-field">
      <legend class="name">{field.label}</legend>
      {rows.map(([name], index) => (
        <div key={index} class="map-row">
          <label class="field">
            <span class="name">Name</span>
            <input
              class="input mono"
              value={name}
              readOnly={isDisabled}
              autocomplete="off"
              spellcheck={false}
              onChange={({ currentTarget }) => rename(name, currentTarget.value.trim())}
            />
          </label>
          {field.fields.toReversed().map((each) => (
            <SimpleField
              key={each.name}
              field={{ ...each, help: undefined }}
              path={[...path, name, each.name]}
              form={form}
            />
          ))}
          <button
            type="button"
            class="button plain small"
            disabled={isDisabled}
            aria-label={`Remove the header ${name}`}
            onClick={() => store(rows.filter((row) => row[0] !== name))}
          >
            Remove
          </button>
        </div>
      ))}
      <GroupNotes help={rows.length > 0 ? me.value?.secrets.hint : help} problem={problem} />
      <button
        type="button"
        class="button small"
        disabled={isDisabled}
        onClick={() => store([...rows, [freeName(rows), { secret: "", prefix: "Bearer " }]])}
      >
        Add a header
      </button>
    </fieldset>
  );
}

function freeName(rows: [string, Json][]): string {
  const names = new Set(rows.map(([name]) => name));
  return ["Authorization", "X-Api-Key"].find((name) => !names.has(name)) ?? `X-Header-${rows.length + 1}`;
}

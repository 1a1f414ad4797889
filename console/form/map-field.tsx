import { GroupNotes, notesOf } from "./field-notes.tsx";
import type { FormState } from "./form-state.ts";
import { me } from "../api/session.ts";
import { isObject, type Json, type Path, valueAt } from "./json.ts";
import { SimpleField } from "./simple-field.tsx";
import type { FieldOf } from "./schema-fields.ts";

/** Named texts or objects, such as labels, or the headers of a server: a row each, with its name and its fields. */
export function MapField({ field, path, form }: { field: FieldOf<"map">; path: Path; form: FormState }) {
  const value = valueAt(form.draft, path);
  const rows = isObject(value) ? Object.entries(value) : [];
  const { help, problem } = notesOf(field, path, form);
  const { noun, names, start } = field.entry;
  const isSecret = field.fields.some((each) => each.kind === "text" && each.secret);
  const isFull = field.most !== undefined && rows.length >= field.most;
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
        <div key={index} class={field.single ? "map-row single" : "map-row"}>
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
              path={field.single ? [...path, name] : [...path, name, each.name]}
              form={form}
            />
          ))}
          <button
            type="button"
            class="button plain small"
            disabled={isDisabled}
            aria-label={`Remove the ${noun} ${name}`}
            onClick={() => store(rows.filter((row) => row[0] !== name))}
          >
            Remove
          </button>
        </div>
      ))}
      <GroupNotes help={isSecret && rows.length > 0 ? me.value?.secrets.hint : help} problem={problem} />
      <button
        type="button"
        class="button small"
        disabled={isDisabled || isFull}
        onClick={() => store([...rows, [freeName(rows, names, noun), start]])}
      >
        {isFull ? `At most ${field.most}` : `Add a ${noun}`}
      </button>
    </fieldset>
  );
}

function freeName(rows: [string, Json][], names: string[], noun: string): string {
  const used = new Set(rows.map(([name]) => name));
  return names.find((name) => !used.has(name)) ?? `${noun}-${rows.length + 1}`;
}

import { GroupNotes, notesOf } from "./field-notes.tsx";
import type { FormState } from "./form-state.ts";
import type { Path } from "./json.ts";
import { agentField, agentFields, firstFields, inOrder } from "./layout.ts";
import { ListField } from "./list-field.tsx";
import type { Field, FieldOf } from "./schema-fields.ts";
import { RulesField } from "./rules-field.tsx";
import { SimpleField } from "./simple-field.tsx";
import { needsEnvironment, ToolsField, toolsOf } from "./tools-field.tsx";

/** The form of an agent, made from the agent schema. */
export function SchemaForm({ form }: { form: FormState }) {
  const parameters = agentField("parameters");
  const inside = parameters.kind === "group" ? parameters.fields : [];
  const temperature = inside.find(({ name }) => name === "temperature");
  const tools = agentField("tools");
  const more = agentFields.filter(({ name }) => !firstFields.includes(name));
  return (
    <div class="schema-form">
      <SimpleField field={agentField("name")} path={["name"]} form={form} />
      <SimpleField field={agentField("instructions")} path={["instructions"]} form={form} />
      <div class="field-row two">
        <SimpleField field={agentField("model")} path={["model"]} form={form} />
        {temperature && <SimpleField field={temperature} path={["parameters", "temperature"]} form={form} />}
      </div>
      {tools.kind === "checks" && <ToolsField field={tools} form={form} />}
      {needsEnvironment(form) && <SimpleField field={agentField("environment")} path={["environment"]} form={form} />}
      <AnyField field={agentField("limits")} path={["limits"]} form={form} />
      <AnyField field={agentField("runLimits")} path={["runLimits"]} form={form} />
      <details class="more-settings" open={more.some(({ name }) => isTouched(form, name))}>
        <summary>More settings</summary>
        <div class="schema-form">
          <div class="field-row three">
            {more.filter(isSimple).map((field) => (
              <SimpleField key={field.name} field={field} path={[field.name]} form={form} />
            ))}
          </div>
          {more
            .filter((field) => !isSimple(field))
            .map((field) => (
              <AnyField key={field.name} field={withoutTemperature(field)} path={[field.name]} form={form} />
            ))}
        </div>
      </details>
    </div>
  );
}

function isSimple({ kind }: Field): boolean {
  return kind !== "group" && kind !== "list" && kind !== "map" && kind !== "rules" && kind !== "json";
}

/** The temperature stands beside the model. */
function withoutTemperature(field: Field): Field {
  if (field.name !== "parameters" || field.kind !== "group") return field;
  return { ...field, fields: field.fields.filter(({ name }) => name !== "temperature") };
}

/** Whether the stored definition has the field, or it has a message. */
function isTouched({ stored, draft, messages }: FormState, name: string): boolean {
  const value = stored[name] ?? draft[name];
  const isOnlyTemperature = name === "parameters" && Object.keys(Object(value)).join() === "temperature";
  const hasMessage = [...messages.at.keys()].some((place) => place.split(".")[0] === name);
  return hasMessage || (value !== undefined && !isOnlyTemperature);
}

function AnyField({ field, path, form }: { field: Field; path: Path; form: FormState }) {
  if (field.kind === "group") return <GroupField field={field} path={path} form={form} />;
  if (field.kind === "rules") return <RulesField field={field} path={path} form={form} known={toolsOf(form)} />;
  if (field.kind === "list") return <ListField field={field} path={path} form={form} />;
  return <SimpleField field={field} path={path} form={form} />;
}

function GroupField({ field, path, form }: { field: FieldOf<"group">; path: Path; form: FormState }) {
  const { help, problem } = notesOf(field, path, form);
  return (
    <fieldset class="field group-field">
      <legend class="name">{field.label}</legend>
      <div class="field-row three">
        {inOrder(field.fields.filter(isSimple), field.name).map((each) => (
          <SimpleField key={each.name} field={each} path={[...path, each.name]} form={form} />
        ))}
      </div>
      {field.fields
        .filter((each) => !isSimple(each))
        .map((each) => (
          <AnyField key={each.name} field={each} path={[...path, each.name]} form={form} />
        ))}
      <GroupNotes help={help} problem={problem} />
    </fieldset>
  );
}

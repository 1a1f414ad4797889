import type { FormState } from "../../form/form-state.ts";
import type { Field } from "../../form/schema-fields.ts";
import { AnyField, SchemaFields } from "../../form/schema-form.tsx";
import { SimpleField } from "../../form/simple-field.tsx";
import { agentField, agentFields, firstFields } from "./layout.ts";
import { needsEnvironment, ToolsField } from "./tools-field.tsx";

/** The form of an agent, made from the agent schema. */
export function AgentForm({ form }: { form: FormState }) {
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
          <SchemaFields fields={more.map(withoutTemperature)} form={form} />
        </div>
      </details>
    </div>
  );
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

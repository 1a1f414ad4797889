import { useState } from "preact/hooks";
import { commands, me } from "../api/session.ts";
import type { FormState } from "../form/form-state.ts";
import { textOf } from "../form/json.ts";
import { messageOf } from "../form/messages.ts";
import type { Field as SchemaField } from "../form/schema-fields.ts";
import { SchemaFields } from "../form/schema-form.tsx";
import { SimpleField } from "../form/simple-field.tsx";
import { Button } from "../ui/fields/button.tsx";
import { Field, SelectField } from "../ui/fields/field.tsx";
import { Warning } from "../ui/problem.tsx";
import { SecretInput } from "../ui/fields/secret-input.tsx";
import { KeyEntry } from "./key-entry.tsx";
import { fieldsOfProvider, modelFields } from "./model-form.ts";
import { ModelName } from "./model-name.tsx";
import { type Provider, providerNames } from "./providers.ts";
import { secretHelp } from "./secret-help.ts";

interface ModelFieldsProps {
  organizationId: string;
  /** The name of a further model configuration. Undefined: it is the organization's model. */
  configuration: string | undefined;
  form: FormState;
  /** Why the secret was cleared. Undefined: it was not. */
  cleared: string | undefined;
}

/** The settings of the chosen provider. */
export function ModelFields(props: ModelFieldsProps) {
  const { form } = props;
  const fields = fieldsOfProvider(form.draft);
  const compat = fields.find(({ name }) => name === "compat");
  const enabled = modelFields.find(({ name }) => name === "enabled");
  return (
    <div class="model-fields">
      <SelectField
        name="Provider"
        value={form.draft["provider"] as Provider}
        options={Object.entries(providerNames) as [Provider, string][]}
        disabled={form.readOnly !== undefined}
        onChange={(provider) => form.set(["provider"], provider)}
      />
      {fields.map((field) => (
        <SettingField key={field.name} {...props} field={field} />
      ))}
      {compat && (
        <details class="more-settings" open={form.stored["compat"] !== undefined}>
          <summary>{compat.label}</summary>
          <SchemaFields fields={compat.kind === "group" ? compat.fields : []} path={["compat"]} form={form} />
          {compat.help && <p class="muted">{compat.help}</p>}
        </details>
      )}
      {enabled && <SimpleField field={enabled} path={["enabled"]} form={form} />}
    </div>
  );
}

type SettingProps = ModelFieldsProps & { field: SchemaField };

function SettingField(props: SettingProps) {
  const { field, form, organizationId } = props;
  const { name, label, required, help } = field;
  if (name === "compat") return null; // below the others
  if (name === "secret") return <SecretField {...props} />;
  if (name !== "model") {
    const shown = required ? label : `${label} (optional)`;
    return <SimpleField field={{ ...field, label: shown }} path={[name]} form={form} />;
  }
  return (
    <Field name={label} help={help} problem={messageOf(form.messages, [name])}>
      {(control) => <ModelName control={control} organizationId={organizationId} form={form} />}
    </Field>
  );
}

/** Where the provider's key is. A key that is entered is stored first. */
function SecretField({ organizationId, configuration, form, cleared, field }: SettingProps) {
  const [isEntering, setEntering] = useState(false);
  const value = textOf(form.draft["secret"]);
  const isReadOnly = form.readOnly !== undefined;
  const secrets = me.value?.secrets;
  const set = (location: string): void => form.set(["secret"], location || undefined);
  const note = cleared ?? secretHelp(value, secrets?.accepted ?? null, me.value?.platform ?? "local", commands().start);
  return (
    <div class="secret-field">
      <Field
        name={field.required ? "Secret" : "Secret (optional)"}
        problem={messageOf(form.messages, ["secret"])}
        help={<>The location of the provider’s key. {secrets?.hint}</>}
      >
        {(control) => (
          <div class="input-row">
            <SecretInput control={control} value={value} readOnly={isReadOnly} onInput={set} />
            {!isReadOnly && !isEntering && <Button onClick={() => setEntering(true)}>Paste a key…</Button>}
          </div>
        )}
      </Field>
      {isEntering && (
        <KeyEntry
          organizationId={organizationId}
          configuration={configuration}
          server={serverOf(form)}
          onStored={(location) => {
            set(location);
            setEntering(false);
          }}
          onClose={() => setEntering(false)}
        />
      )}
      {note !== undefined && <Warning isLive>{note}</Warning>}
    </div>
  );
}

/** The URL that the provider's key is sent to. Undefined: it is not a URL yet. */
function serverOf({ draft }: FormState): string | undefined {
  const url =
    textOf(draft["base_url"]).trim() || (draft["provider"] === "anthropic" ? "https://api.anthropic.com/v1" : "");
  return URL.canParse(url) ? url : undefined;
}

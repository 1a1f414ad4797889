import { useState } from "preact/hooks";
import { commands, me } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { Check, Field, SelectField, TextField } from "../ui/field.tsx";
import { SecretInput } from "../ui/secret-input.tsx";
import { Warning } from "../ui/problem.tsx";
import { type ModelForm, withServer, withSetting } from "./model-form.ts";
import { type Model, type Provider, providerNames, type SettingName, settingsOf } from "./providers.ts";
import { KeyEntry } from "./key-entry.tsx";
import { ModelName } from "./model-name.tsx";
import { secretHelp } from "./secret-help.ts";

interface ModelFieldsProps {
  organizationId: string;
  /** The name of a further model configuration. Undefined: it is the organization's model. */
  configuration: string | undefined;
  form: ModelForm;
  stored: Model | null;
  isReadOnly: boolean;
  problems: Partial<Record<SettingName | "other", string>>;
  onChange: (form: ModelForm) => void;
}

/** The settings of the chosen provider. */
export function ModelFields({
  organizationId,
  configuration,
  form,
  stored,
  isReadOnly,
  problems,
  onChange,
}: ModelFieldsProps) {
  const accepted = settingsOf[form.provider];
  const names = Object.keys(accepted) as SettingName[];
  return (
    <div class="model-fields">
      <SelectField
        name="Provider"
        value={form.provider}
        options={Object.entries(providerNames) as [Provider, string][]}
        disabled={isReadOnly}
        onChange={(provider) => onChange(withServer(form, stored, { provider }))}
      />
      {names.map((name) => (
        <SettingField
          key={name}
          name={name}
          organizationId={organizationId}
          configuration={configuration}
          isRequired={accepted[name] === true}
          form={form}
          problem={problems[name]}
          isReadOnly={isReadOnly}
          onInput={(value) =>
            onChange(
              name === "base_url" ? withServer(form, stored, { base_url: value }) : withSetting(form, name, value),
            )
          }
        />
      ))}
      <Check checked={form.enabled} disabled={isReadOnly} onChange={(enabled) => onChange({ ...form, enabled })}>
        Enabled: agents that use it can start runs
      </Check>
    </div>
  );
}

const texts: Record<SettingName, { name: string; placeholder: string; help?: string }> = {
  base_url: { name: "Base URL", placeholder: "http://127.0.0.1:11434/v1" },
  model: { name: "Model", placeholder: "claude-sonnet-5", help: "As the provider names it." },
  secret: { name: "Secret", placeholder: "env:NAME" },
  region: { name: "Region", placeholder: "eu-central-1", help: "The service’s AWS credentials are used." },
  idle_seconds: {
    name: "Seconds without data",
    placeholder: "60",
    help: "Then a call fails and is retried: 5 to 240. Raise it for a server that is silent while a model thinks or writes a file.",
  },
};

interface SettingFieldProps {
  organizationId: string;
  configuration: string | undefined;
  name: SettingName;
  isRequired: boolean;
  form: ModelForm;
  problem: string | undefined;
  isReadOnly: boolean;
  onInput: (value: string) => void;
}

function SettingField(props: SettingFieldProps) {
  const { name, organizationId, isRequired, form, problem, isReadOnly, onInput } = props;
  const { placeholder, help, ...text } = texts[name];
  if (name === "secret") return <SecretField {...props} />;
  const field = { name: <Label name={text.name} isRequired={isRequired} />, problem, help };
  if (name === "model") {
    return (
      <Field {...field}>
        {(control) => <ModelName {...{ control, organizationId, form, isReadOnly, placeholder, onInput }} />}
      </Field>
    );
  }
  return (
    <TextField
      {...field}
      class="mono"
      value={form.settings[name]}
      placeholder={name === "base_url" && !isRequired ? "the provider’s address" : placeholder}
      readOnly={isReadOnly}
      autocapitalize="off"
      spellcheck={false}
      onInput={onInput}
    />
  );
}

function Label({ name, isRequired }: { name: string; isRequired: boolean }) {
  return (
    <>
      {name} {!isRequired && <span class="hint">optional</span>}
    </>
  );
}

/** Where the provider's key is. A key that is entered is stored first. */
function SecretField({
  organizationId,
  configuration,
  isRequired,
  form,
  problem,
  isReadOnly,
  onInput,
}: SettingFieldProps) {
  const [isEntering, setEntering] = useState(false);
  const value = form.settings.secret;
  const secrets = me.value?.secrets;
  const missing = secretHelp(value, secrets?.accepted ?? null, me.value?.platform ?? "local", commands().start);
  return (
    <div class="secret-field">
      <Field
        name={<Label name="Secret" isRequired={isRequired} />}
        problem={problem}
        help={<>The location of the provider’s key. {secrets?.hint}</>}
      >
        {(control) => (
          <div class="input-row">
            <SecretInput control={control} value={value} readOnly={isReadOnly} onInput={onInput} />
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
            onInput(location);
            setEntering(false);
          }}
          onClose={() => setEntering(false)}
        />
      )}
      {(form.cleared ?? missing) !== undefined && <Warning isLive>{form.cleared ?? missing}</Warning>}
    </div>
  );
}

/** The URL that the provider's key is sent to. Undefined: it is not a URL yet. */
function serverOf({ provider, settings }: ModelForm): string | undefined {
  const url = settings.base_url.trim() || (provider === "anthropic" ? "https://api.anthropic.com/v1" : "");
  return URL.canParse(url) ? url : undefined;
}

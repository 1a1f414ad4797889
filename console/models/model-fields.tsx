import { commands, me } from "../api/session.ts";
import { Field } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { SecretInput } from "../ui/secret-input.tsx";
import { type ModelForm, withServer, withSetting } from "./model-form.ts";
import { type Model, type Provider, providerNames, type SettingName, settingsOf } from "./providers.ts";
import { secretHelp } from "./secret-help.ts";

interface ModelFieldsProps {
  form: ModelForm;
  stored: Model | null;
  isReadOnly: boolean;
  problems: Partial<Record<SettingName | "other", string>>;
  onChange: (form: ModelForm) => void;
}

/** The settings of the chosen provider. */
export function ModelFields({ form, stored, isReadOnly, problems, onChange }: ModelFieldsProps) {
  const accepted = settingsOf[form.provider];
  const names = Object.keys(accepted) as SettingName[];
  return (
    <div class="model-fields">
      <Field name="Provider">
        {(control) => (
          <select
            {...control}
            class="input"
            value={form.provider}
            disabled={isReadOnly}
            onChange={({ currentTarget }) =>
              onChange(withServer(form, stored, { provider: currentTarget.value as Provider }))
            }
          >
            {Object.entries(providerNames).map(([provider, name]) => (
              <option key={provider} value={provider}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {names.map((name) => (
        <SettingField
          key={name}
          name={name}
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
      <label class="check">
        <input
          type="checkbox"
          checked={form.enabled}
          disabled={isReadOnly}
          onChange={({ currentTarget }) => onChange({ ...form, enabled: currentTarget.checked })}
        />
        Enabled: agents of the organization can start runs
      </label>
    </div>
  );
}

const texts: Record<SettingName, { name: string; placeholder: string; help?: string }> = {
  base_url: { name: "Base URL", placeholder: "http://127.0.0.1:11434/v1" },
  model: { name: "Model", placeholder: "claude-sonnet-5", help: "As the provider names it." },
  secret: { name: "Secret", placeholder: "env:NAME" },
  region: { name: "Region", placeholder: "eu-central-1", help: "The service’s AWS credentials are used." },
};

interface SettingFieldProps {
  name: SettingName;
  isRequired: boolean;
  form: ModelForm;
  problem: string | undefined;
  isReadOnly: boolean;
  onInput: (value: string) => void;
}

function SettingField({ name, isRequired, form, problem, isReadOnly, onInput }: SettingFieldProps) {
  const { placeholder, help, ...text } = texts[name];
  const value = form.settings[name];
  if (name === "secret") return <SecretField {...{ name, isRequired, form, problem, isReadOnly, onInput }} />;
  return (
    <Field name={<Label name={text.name} isRequired={isRequired} />} problem={problem} {...(help && { help })}>
      {(control) => (
        <input
          {...control}
          class="input mono"
          value={value}
          placeholder={isRequired ? placeholder : "the provider’s address"}
          readOnly={isReadOnly}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  );
}

function Label({ name, isRequired }: { name: string; isRequired: boolean }) {
  return (
    <>
      {name} {!isRequired && <span class="hint">optional</span>}
    </>
  );
}

/** Where the provider's key is. The key itself is never entered here. */
function SecretField({ isRequired, form, problem, isReadOnly, onInput }: SettingFieldProps) {
  const value = form.settings.secret;
  const secrets = me.value?.secrets;
  const missing = secretHelp(value, secrets?.accepted ?? null, me.value?.platform ?? "local", commands().start);
  return (
    <div class="secret-field">
      <Field
        name={<Label name="Secret" isRequired={isRequired} />}
        problem={problem}
        help={<>The location of the provider’s key, never the key itself. {secrets?.hint}</>}
      >
        {(control) => <SecretInput control={control} value={value} readOnly={isReadOnly} onInput={onInput} />}
      </Field>
      {(form.cleared ?? missing) !== undefined && (
        <p class="note warn" role="status">
          <Icon name="warning" />
          <span>{form.cleared ?? missing}</span>
        </p>
      )}
    </div>
  );
}

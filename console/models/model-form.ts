import {
  type Model,
  type ModelSettings,
  type Preset,
  type Provider,
  type SettingName,
  settingsOf,
} from "./providers.ts";

/** What is entered in the form of a model. Texts are as typed. */
export interface ModelForm {
  provider: Provider;
  enabled: boolean;
  settings: Record<SettingName, string>;
  /** What the server does differently. It has no fields: it is kept while the server stays the same. */
  compat: Model["compat"];
  /** Why the secret is empty. Undefined: it was not cleared. */
  cleared: string | undefined;
}

const empty: ModelForm["settings"] = { base_url: "", model: "", secret: "", region: "", idle_seconds: "" };

const clearedText =
  "The secret was cleared: it goes to the server that it was named for, and this is another one. Enter it again, or " +
  "leave it empty for none.";

/** The form of a stored model. Without one: of an Anthropic model, the first preset. */
export function formOf(model: Model | null): ModelForm {
  if (!model) return { provider: "anthropic", enabled: true, settings: empty, compat: null, cleared: undefined };
  const { provider, enabled, compat } = model;
  const settings = {
    base_url: model.base_url ?? "",
    model: model.model ?? "",
    secret: model.secret ?? "",
    region: model.region ?? "",
    idle_seconds: String(model.idle_seconds ?? ""),
  };
  return { provider, enabled, settings, compat, cleared: undefined };
}

export function withPreset(form: ModelForm, { provider, settings }: Preset): ModelForm {
  return { ...form, provider, settings: { ...empty, ...settings }, compat: null, cleared: undefined };
}

/** Another provider or address is another server: the secret is cleared. The stored one brings its secret back. */
export function withServer(
  form: ModelForm,
  stored: Model | null,
  change: { provider?: Provider; base_url?: string },
): ModelForm {
  const provider = change.provider ?? form.provider;
  const base_url = change.base_url ?? form.settings.base_url;
  const known = formOf(stored);
  if (stored && provider === stored.provider && base_url === known.settings.base_url) {
    const secret = form.settings.secret || known.settings.secret;
    return {
      ...form,
      provider,
      settings: { ...form.settings, base_url, secret },
      compat: stored.compat,
      cleared: undefined,
    };
  }
  const { secret } = form.settings;
  const isStored = secret !== "" && secret === known.settings.secret;
  const settings = { ...form.settings, base_url, secret: isStored ? "" : secret };
  return { ...form, provider, settings, compat: null, cleared: isStored ? clearedText : form.cleared };
}

export function withSetting(form: ModelForm, name: Exclude<SettingName, "base_url">, value: string): ModelForm {
  const cleared = name === "secret" && value !== "" ? undefined : form.cleared;
  const entered = name === "idle_seconds" ? value.replace(/\D/g, "") : value;
  return { ...form, settings: { ...form.settings, [name]: entered }, cleared };
}

/** The body that stores it: only what the provider has. */
export function toSettings({ provider, enabled, settings, compat }: ModelForm): ModelSettings {
  const body: ModelSettings = { provider, enabled };
  for (const name of Object.keys(settingsOf[provider]) as SettingName[]) {
    const value = settings[name].trim();
    if (name !== "idle_seconds") body[name] = value || null;
    else if (value !== "") body.idle_seconds = Number(value);
  }
  if (provider.startsWith("openai-") && compat) body.compat = compat;
  return body;
}

/** Required settings that are empty. */
export function missingSettings({ provider, settings }: ModelForm): SettingName[] {
  const names = Object.entries(settingsOf[provider]) as [SettingName, boolean][];
  return names.flatMap(([name, isRequired]) => (isRequired && settings[name].trim() === "" ? [name] : []));
}

/** Whether anything was entered. */
export function isEdited(form: ModelForm, stored: Model | null): boolean {
  return JSON.stringify(toSettings(form)) !== JSON.stringify(toSettings(formOf(stored)));
}

/** Whether saving stores anything: a first model can be stored as it is proposed. */
export function isChanged(form: ModelForm, stored: Model | null): boolean {
  return stored === null || isEdited(form, stored);
}

import { ModelSettings as schema } from "../../src/manage/generated/form-schemas.ts";
import { draftOf } from "../form/body.ts";
import { type Draft, type Json, type Path, textOf, withValue } from "../form/json.ts";
import { type Field, fieldsOf } from "../form/schema-fields.ts";
import { type Model, type Preset, type Provider, settingsOf } from "./providers.ts";

/** All settings of a model. */
export const modelFields: Field[] = fieldsOf(schema, {
  labels: {
    base_url: "Base URL",
    idle_seconds: "Seconds without data",
    enabled: "Enabled: agents that use it can start runs",
    acceptsPdf: "Accepts PDFs",
    compat: "How the server differs from OpenAI’s API",
  },
  helps: {
    enabled: "",
    base_url: "",
    model: "As the provider names it.",
    region: "The service’s AWS credentials are used.",
    idle_seconds:
      "Then a call fails and is retried: 5 to 240. Raise it for a server that is silent while a model thinks or writes a file.",
    compat: "Usually detected.",
  },
});

/** The settings of a provider in the order of its form. */
export function fieldsOfProvider(draft: Draft): Field[] {
  const settings = Object.entries(settingsOf[draft["provider"] as Provider]);
  return settings.flatMap(([wanted, required]) => {
    const field = modelFields.find(({ name }) => name === wanted);
    return field ? [{ ...field, required }] : [];
  });
}

/** The form of a stored model. Without one: of an Anthropic model, the first preset. */
export function formOf(model: Model | null): Draft {
  const { enabled, ...settings } = model ?? { provider: "anthropic", enabled: true };
  return { ...draftOf(settings, modelFields), ...(!enabled && { enabled }) };
}

export function withPreset({ enabled }: Draft, { provider, settings }: Preset): Draft {
  return { provider, ...settings, ...(enabled !== undefined && { enabled }) };
}

/**
 * A draft with another setting. Another provider or address is another server: the stored secret is cleared, because it goes to the
 * server that it was named for. The stored server brings it back.
 */
export function withSetting(model: Model | null, draft: Draft, path: Path, value: Json | undefined): Draft {
  if (path[0] !== "provider" && path[0] !== "base_url") return withValue(draft, path, value);
  const stored = model ? formOf(model) : undefined;
  const isBack = path[0] === "provider" && stored?.["provider"] === value;
  const changed = withValue(isBack ? { ...stored, ...draft } : draft, path, value);
  const known = new Set(["provider", "enabled", ...Object.keys(settingsOf[changed["provider"] as Provider])]);
  const kept = Object.fromEntries(Object.entries(changed).filter(([name]) => known.has(name)));
  if (isStoredServer(stored, kept))
    return { ...stored, ...kept, ...(stored?.["compat"] && { compat: stored["compat"] }) };
  const { secret, compat: _, ...others } = kept;
  return secret === undefined || secret === stored?.["secret"] ? others : { ...others, secret };
}

function isStoredServer(stored: Draft | undefined, draft: Draft): boolean {
  return stored?.["provider"] === draft["provider"] && stored?.["base_url"] === draft["base_url"];
}

/** Why the secret is empty. Undefined: it was not cleared. */
export function clearedSecret(model: Model | null, draft: Draft): string | undefined {
  const isCleared = model?.secret != null && draft["secret"] === undefined && !isStoredServer(formOf(model), draft);
  return isCleared && "secret" in settingsOf[draft["provider"] as Provider] ? clearedText : undefined;
}

const clearedText =
  "The secret was cleared: it goes to the server that it was named for, and this is another one. Enter it again, or " +
  "leave it empty for none.";

/** Required settings that are empty. */
export function missingSettings(draft: Draft): string[] {
  const empty = fieldsOfProvider(draft).filter(({ name, required }) => required && textOf(draft[name]).trim() === "");
  return empty.map(({ name }) => name);
}

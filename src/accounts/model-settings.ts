import {
  chatSettings,
  idleSecondsRange,
  type ModelConfiguration,
  type OpenAiCompat,
  responsesSettings,
} from "../agent/model.ts";
import {
  bedrockKeyRule,
  configurationFields,
  isRegion,
  needsBedrockKey,
  providerNames,
} from "../agent/models/model-config.ts";
import { surplusOf } from "../agent/public-url.ts";
import { ServiceError } from "../errors.ts";
import { parseUrl } from "../net/parse-url.ts";

const settingNames = ["baseUrl", "model", "secret", "region", "compat", "idleSeconds"] as const;
type SettingName = (typeof settingNames)[number];

/**
 * The settings of a model configuration as an operator enters them: any of them may be missing or wrong. `compat`: as text
 * (`setting=value,…`), or as an object that is already valid. `idleSeconds`: as text or number.
 */
export type ModelSettings = Partial<
  Record<"provider" | Exclude<SettingName, "compat" | "idleSeconds">, string | undefined>
> & {
  compat?: string | OpenAiCompat | undefined;
  idleSeconds?: string | number | undefined;
};

/** Names of the settings for people, such as `--base-url`. */
export type SettingLabels = Record<"provider" | SettingName, string>;

/** For people who write the settings as JSON. */
export const jsonLabels: SettingLabels = {
  provider: "provider",
  baseUrl: "baseUrl",
  model: "model",
  secret: "secret",
  region: "region",
  compat: "compat",
  idleSeconds: "idleSeconds",
};

/** The settings of each provider: true if required, false if optional. */
const settingsOf: { [Name in ModelConfiguration["provider"]]: Partial<Record<SettingName, boolean>> } = {
  demo: {},
  "openai-compatible": { baseUrl: true, model: true, secret: false, compat: false, idleSeconds: false },
  "openai-responses": { baseUrl: true, model: true, secret: false, compat: false, idleSeconds: false },
  anthropic: { model: true, secret: true, baseUrl: false, idleSeconds: false },
  bedrock: { model: true, region: true, baseUrl: false, idleSeconds: false },
};

const expected: Record<SettingName, string> = {
  baseUrl: "the server's http or https URL, such as http://127.0.0.1:11434/v1",
  model: "the provider's name of the model",
  secret: "the location of the provider's API key: env:NAME or file:PATH, on AWS secretsmanager:NAME",
  region: "the AWS region of Bedrock, such as eu-central-1",
  compat:
    "how the server differs from OpenAI's API, such as supportsStreamOptions=false,maxTokensField=max_completion_tokens",
  idleSeconds: `whole seconds, ${idleSecondsRange.min} to ${idleSecondsRange.max}`,
};

/**
 * Validates settings and returns the model configuration. `labels` name the settings in errors, such as `--base-url`.
 * Errors never contain the value of `secret`: it may be a key that was pasted there.
 */
export function parseModelSettings(
  settings: ModelSettings,
  labels: SettingLabels,
  enabled: boolean,
): ModelConfiguration {
  const provider = providerNames.find((name) => name === settings.provider);
  if (provider === undefined) {
    const accepted = `${providerNames.slice(0, -1).join(", ")} or ${providerNames.at(-1)}`;
    throw invalid(`${labels.provider} is ${JSON.stringify(settings.provider)}; expected ${accepted}`);
  }
  const accepted = settingsOf[provider];
  const unexpected = settingNames.filter((name) => settings[name] !== undefined && accepted[name] === undefined);
  if (unexpected.length > 0) {
    const names = settingNames.filter((name) => name in accepted).map((name) => labels[name]);
    const only = names.length === 0 ? "" : `, only ${names.join(", ")}`;
    const received = unexpected.map((name) => labels[name]).join(", ");
    throw invalid(`${labels.provider} ${provider} does not accept ${received}${only}`);
  }
  const { baseUrl, secret, region } = settings;
  if (baseUrl !== undefined && !/^https?:$/.test(parseUrl(baseUrl)?.protocol ?? "")) {
    throw invalid(`${labels.baseUrl} is ${JSON.stringify(baseUrl)}; expected ${expected.baseUrl}`);
  }
  const surplus = baseUrl === undefined ? undefined : surplusOf(baseUrl);
  if (surplus !== undefined) {
    const remedy = `put a credential in a secret and name it with ${labels.secret}`;
    throw invalid(`${labels.baseUrl} contains ${surplus}, which is stored and shown; remove it, and ${remedy}`);
  }
  if (region !== undefined && !isRegion(region)) {
    throw invalid(`${labels.region} is ${JSON.stringify(region)}; expected ${expected.region}`);
  }
  if (secret !== undefined && !/^(env|file|secretsmanager):./.test(secret)) {
    throw invalid(`${labels.secret} must not be the key itself; expected ${expected.secret}`);
  }
  const idleSeconds = settings.idleSeconds === undefined ? undefined : Number(settings.idleSeconds);
  if (idleSeconds !== undefined && !isIdleSeconds(idleSeconds)) {
    throw invalid(`${labels.idleSeconds} is ${JSON.stringify(settings.idleSeconds)}; expected ${expected.idleSeconds}`);
  }
  for (const name of settingNames) {
    if (accepted[name] && !settings[name]) throw invalid(`${labels[name]} is missing; expected ${expected[name]}`);
  }
  if (needsBedrockKey({ provider, baseUrl, secret })) throw invalid(`${labels.secret} is missing; ${bedrockKeyRule}`);
  const present = settingNames.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]]));
  const compat =
    settings.compat === undefined
      ? undefined
      : parseCompat(settings.compat, provider === "openai-responses" ? responsesSettings : chatSettings, labels.compat);
  // All required settings are present; the compiler cannot derive that from the table.
  return {
    provider,
    enabled,
    ...Object.fromEntries(present),
    ...(compat && { compat }),
    ...(idleSeconds !== undefined && { idleSeconds }),
  } as ModelConfiguration;
}

function isIdleSeconds(seconds: number): boolean {
  return Number.isInteger(seconds) && seconds >= idleSecondsRange.min && seconds <= idleSecondsRange.max;
}

/**
 * The settings with the stored secret, if they name none. A secret is sent only to the server that it was named for: with
 * another provider or address, it must be sent again.
 */
export function withStoredSecret(
  settings: ModelSettings,
  stored: ModelConfiguration | undefined,
  labels: SettingLabels,
): ModelSettings {
  const kept = stored && configurationFields(stored);
  const provider = providerNames.find((name) => name === settings.provider);
  if (settings.secret !== undefined || kept?.secret === undefined) return settings;
  if (provider === undefined || settingsOf[provider].secret === undefined) return settings;
  if (provider === kept.provider && settings.baseUrl === kept.baseUrl) return { ...settings, secret: kept.secret };
  const none = settingsOf[provider].secret ? "" : ", or null for none";
  throw invalid(
    `${labels.secret} is missing; ${labels.provider} or ${labels.baseUrl} changes, and the stored secret is for the model ` +
      `server that it was named for. Send ${labels.secret} again${none}`,
  );
}

/** Formats compat settings as `parseModelSettings` accepts them. */
export function formatCompat(compat: OpenAiCompat): string {
  return Object.entries(compat)
    .map(([setting, value]) => `${setting}=${value}`)
    .join(",");
}

/** Parses `setting=value,setting=value`, or checks an object, by the settings that the API of the provider has. */
function parseCompat(
  entered: string | OpenAiCompat,
  settings: Record<string, readonly unknown[]>,
  label: string,
): OpenAiCompat {
  const compat: Record<string, unknown> = {};
  const pairs = typeof entered === "string" ? entered.split(",") : formatCompat(entered).split(",").filter(Boolean);
  for (const pair of pairs) {
    const [name = "", value] = pair.split("=");
    const setting = Object.entries(settings).find(([each]) => each === name);
    if (!setting) {
      throw invalid(`${label} has ${JSON.stringify(pair)}; expected ${Object.keys(settings).join(", ")}`);
    }
    const [, accepted] = setting;
    const found = accepted.find((each) => String(each) === value);
    if (found === undefined) {
      throw invalid(`${label} has ${JSON.stringify(pair)}; ${name} accepts ${accepted.join(", ")}`);
    }
    compat[name] = found;
  }
  return compat;
}

function invalid(message: string): ServiceError {
  return new ServiceError("invalid_argument", message);
}

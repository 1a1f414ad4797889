import { compatSettings, type ModelConfiguration, type OpenAiCompat } from "../src/agent/model.ts";
import { isRegion, providerNames } from "../src/agent/models/model-config.ts";

const settings = ["baseUrl", "model", "secret", "region", "compat"] as const;
type Setting = (typeof settings)[number];

/** What each provider needs (true) and may have (false) beyond its name. */
const takes: { [Name in ModelConfiguration["provider"]]: Partial<Record<Setting, boolean>> } = {
  demo: {},
  "openai-compatible": { baseUrl: true, model: true, secret: false, compat: false },
  anthropic: { model: true, secret: true, baseUrl: false },
  bedrock: { model: true, region: true, baseUrl: false },
};

const meanings: Record<Setting, string> = {
  baseUrl: "the server's http or https URL, as http://127.0.0.1:11434/v1",
  model: "the model's name or id as the provider knows it",
  secret: "where the provider's API key is: env:NAME or file:PATH, for a stack on AWS secretsmanager:NAME",
  region: "the AWS region to call Bedrock in, as eu-central-1",
  compat:
    "how the server differs from OpenAI's API, as supportsStreamOptions=false,maxTokensField=max_completion_tokens",
};

/**
 * The model configuration that options describe. `flags`: what each option is called where it was given. Throws an
 * Error whose message is one line for people; a secret's value is not in it, for it may be a key that was pasted.
 */
export function modelFromOptions(
  given: Partial<Record<"provider" | Setting, string | undefined>>,
  flags: Record<"provider" | Setting, string>,
  enabled: boolean,
): ModelConfiguration {
  const provider = providerNames.find((name) => name === given.provider);
  if (provider === undefined) {
    const accepted = `${providerNames.slice(0, -1).join(", ")} or ${providerNames.at(-1)}`;
    throw new Error(`${flags.provider} is ${JSON.stringify(given.provider)}; it takes ${accepted}`);
  }
  const taken = takes[provider];
  const refused = settings.filter((setting) => given[setting] !== undefined && taken[setting] === undefined);
  if (refused.length > 0) {
    const accepted = settings.filter((setting) => setting in taken).map((setting) => flags[setting]);
    const only = accepted.length === 0 ? "" : `, only ${accepted.join(", ")}`;
    throw new Error(
      `${flags.provider} ${provider} takes no ${refused.map((setting) => flags[setting]).join(", ")}${only}`,
    );
  }
  const { baseUrl, secret, region } = given;
  if (baseUrl !== undefined && !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) {
    throw new Error(`${flags.baseUrl} is ${JSON.stringify(baseUrl)}; give ${meanings.baseUrl}`);
  }
  if (region !== undefined && !isRegion(region)) {
    throw new Error(`${flags.region} is ${JSON.stringify(region)}; give ${meanings.region}`);
  }
  if (secret !== undefined && !/^(env|file|secretsmanager):./.test(secret)) {
    throw new Error(`${flags.secret} says where the key is, not what it is; give ${meanings.secret}`);
  }
  for (const setting of settings) {
    if (taken[setting] && !given[setting]) throw new Error(`${flags[setting]} is missing; give ${meanings[setting]}`);
  }
  const chosen = settings.flatMap((setting) => (given[setting] === undefined ? [] : [[setting, given[setting]]]));
  const compat = given.compat === undefined ? undefined : parseCompat(given.compat, flags.compat);
  // What the provider needs is there, which the compiler can't see through the table.
  return { provider, enabled, ...Object.fromEntries(chosen), ...(compat && { compat }) } as ModelConfiguration;
}

/** Formats settings as `--compat` accepts them. */
export function formatCompat(compat: OpenAiCompat): string {
  return Object.entries(compat)
    .map(([setting, value]) => `${setting}=${value}`)
    .join(",");
}

/** Parses `setting=value,setting=value`. */
function parseCompat(text: string, flag: string): OpenAiCompat {
  const compat: Record<string, unknown> = {};
  for (const pair of text.split(",")) {
    const [name = "", value] = pair.split("=");
    const setting = Object.entries(compatSettings).find(([each]) => each === name);
    if (!setting) {
      throw new Error(`${flag} has ${JSON.stringify(pair)}; it accepts ${Object.keys(compatSettings).join(", ")}`);
    }
    const accepted: readonly unknown[] = setting[1];
    const found = accepted.find((each) => String(each) === value);
    if (found === undefined) {
      throw new Error(`${flag} has ${JSON.stringify(pair)}; ${name} accepts ${accepted.join(", ")}`);
    }
    compat[name] = found;
  }
  return compat;
}

import type { Failure, Model, ModelConfiguration, OpenAiConfiguration } from "../model.ts";
import { type ReadSecret, secretMissing, SecretRefused } from "../secret.ts";
import {
  type ProviderConfiguration,
  configurationFields,
  keyProblem,
  misconfiguration,
  modelProblem,
  modelUrl,
} from "./model-config.ts";
import type { OpenAiServer } from "./openai/openai-server.ts";

/** Opens a model of a provider. Resolves with a factory that creates the model of one turn. */
type Open<Name extends ModelConfiguration["provider"]> = (
  configuration: ProviderConfiguration<Name>,
  model: string,
  apiKey: string | undefined,
) => Promise<() => Model>;

/** Model providers by name. Each is loaded on first use, to keep the others out of the start time. */
const providers: { [Name in ModelConfiguration["provider"]]: Open<Name> } = {
  async demo() {
    const { demo } = await import("./demo.ts");
    return () => demo;
  },
  async "openai-compatible"(configuration, model, apiKey) {
    const { openAiCompatible } = await import("./openai/openai-compatible.ts");
    return openAiCompatible(openAiServer(configuration, model, apiKey));
  },
  async "openai-responses"(configuration, model, apiKey) {
    const { openAiResponses } = await import("./openai/openai-responses.ts");
    return openAiResponses(openAiServer(configuration, model, apiKey));
  },
  async anthropic({ baseUrl, idleSeconds }, model, apiKey = "") {
    const { anthropic } = await import("./anthropic.ts");
    return anthropic({ model, apiKey, ...(baseUrl !== undefined && { baseUrl }), ...idleTimeout(idleSeconds) });
  },
  async bedrock({ baseUrl, region, idleSeconds }, model) {
    const { bedrock } = await import("./bedrock.ts");
    return bedrock({ model, region, ...(baseUrl !== undefined && { baseUrl }), ...idleTimeout(idleSeconds) });
  },
};

function openAiServer(
  { baseUrl, compat, idleSeconds }: OpenAiConfiguration,
  model: string,
  apiKey: string | undefined,
): OpenAiServer {
  return {
    baseUrl,
    model,
    ...(apiKey !== undefined && { apiKey }),
    ...(compat && { compat }),
    ...idleTimeout(idleSeconds),
  };
}

/** The option of an adapter, in milliseconds. */
function idleTimeout(seconds: number | undefined): { idleTimeout?: number } {
  return seconds === undefined ? {} : { idleTimeout: seconds * 1_000 };
}

/**
 * Opens the model of an agent: the agent's own choice (`chosen`) or the organization's default. Resolves with a failure
 * when the configuration is not usable. It is retryable only when the secret store is unavailable. `named`: the name of the
 * configuration, if the agent names one.
 */
export async function openModel(
  configuration: ModelConfiguration | undefined,
  chosen: string | undefined,
  readSecret: ReadSecret,
  named?: string,
): Promise<{ model: Model; name: string; provider: string } | { failure: Failure }> {
  const problem = modelProblem(configuration, () => undefined, named);
  if (!configuration || problem !== undefined) return { failure: misconfiguration(problem ?? "") };
  const { model = "" } = configurationFields(configuration);
  const key = await readKey(configuration, readSecret);
  if ("failure" in key) return key;
  const { apiKey } = key;
  // The entry has the type of this configuration, which the compiler cannot infer from the lookup.
  const { provider } = configuration;
  const name = chosen ?? model;
  const open = await reuseOrOpen(JSON.stringify([configuration, name, apiKey]), () =>
    providers[provider](configuration as never, name, apiKey),
  );
  return { model: open(), name: name || provider, provider };
}

/** Reads the provider's API key. Undefined: the configuration names none. */
export async function readKey(
  configuration: ModelConfiguration,
  readSecret: ReadSecret,
): Promise<{ apiKey: string | undefined } | { failure: Failure }> {
  const { secret } = configurationFields(configuration);
  if (secret === undefined) return { apiKey: undefined };
  try {
    const apiKey = await readSecret(secret, modelUrl(configuration));
    return apiKey === undefined ? { failure: misconfiguration(keyProblem(secretMissing)) } : { apiKey };
  } catch (error) {
    if (error instanceof SecretRefused) return { failure: misconfiguration(keyProblem(error.message), error.remedy) };
    return { failure: secretUnavailable(error) };
  }
}

/** Opened models, least recently used first. Opening one compiles schemas, which takes longer than a short call. */
const opened = new Map<string, Promise<() => Model>>();
const maxOpened = 100;

function reuseOrOpen(key: string, open: () => Promise<() => Model>): Promise<() => Model> {
  const known = opened.get(key);
  const model = known ?? open();
  if (!known) model.catch(() => opened.delete(key));
  opened.delete(key);
  opened.set(key, model);
  const [oldest = ""] = opened.keys();
  if (opened.size > maxOpened) opened.delete(oldest);
  return model;
}

function secretUnavailable(error: unknown): Failure {
  const reason = error instanceof Error ? error.name : "no reason given";
  return {
    category: "model_unavailable",
    title: `The secret with the API key of the organization's inference model could not be read: ${reason}.`,
    remedy: "Retried automatically; see the status page of the secret store.",
    retryable: true,
  };
}

import type { Failure, Model, ModelConfiguration } from "../model.ts";
import { type Configured, fieldsOf, misconfigured, modelProblem, noSecret, type SecretOf } from "./model-config.ts";

/**
 * Opens a provider's model; what it resolves with makes one for each turn. `model`: the one that the agent chose, or
 * else the configured one.
 */
type Open<Name extends ModelConfiguration["provider"]> = (
  configuration: Configured<Name>,
  model: string,
  apiKey: string | undefined,
) => Promise<() => Model>;

/** Model providers by name. They are loaded when first opened, so that nobody pays for one that is not used. */
const providers: { [Name in ModelConfiguration["provider"]]: Open<Name> } = {
  async demo() {
    const { demo } = await import("./demo.ts");
    return () => demo;
  },
  async "openai-compatible"({ baseUrl }, model, apiKey) {
    const { openAiCompatible } = await import("./openai-compatible.ts");
    return openAiCompatible({ baseUrl, model, ...(apiKey !== undefined && { apiKey }) });
  },
  async anthropic({ baseUrl }, model, apiKey = "") {
    const { anthropic } = await import("./anthropic.ts");
    return anthropic({ model, apiKey, ...(baseUrl !== undefined && { baseUrl }) });
  },
  async bedrock({ baseUrl, region }, model) {
    const { bedrock } = await import("./bedrock.ts");
    return bedrock({ model, region, ...(baseUrl !== undefined && { baseUrl }) });
  },
};

/**
 * The model that an agent runs on, with its names: its own choice (`chosen`) or the organization's default. A failure as
 * of a model call when there is none: retryable only when the secret could not be asked for.
 */
export async function openModel(
  configuration: ModelConfiguration | undefined,
  chosen: string | undefined,
  secretOf: SecretOf,
): Promise<{ model: Model; name: string; provider: string } | { failure: Failure }> {
  const problem = modelProblem(configuration, () => true);
  if (!configuration || problem !== undefined) return { failure: misconfigured(problem ?? "") };
  const { secret, model = "" } = fieldsOf(configuration);
  let apiKey: string | undefined;
  try {
    apiKey = secret === undefined ? undefined : await secretOf(secret);
  } catch (error) {
    return { failure: secretUnavailable(error) };
  }
  if (secret !== undefined && apiKey === undefined) return { failure: misconfigured(noSecret) };
  // The entry fits the configuration's own kind, which the compiler can't see through the look-up.
  const { provider } = configuration;
  const name = chosen ?? model;
  const open = await reuseOrOpen(JSON.stringify([configuration, name, apiKey]), () =>
    providers[provider](configuration as never, name, apiKey),
  );
  return { model: open(), name: name || provider, provider };
}

/** Models that were opened before. Their libraries compile schemas for each anew, which takes longer than a short call. */
const opened = new Map<string, Promise<() => Model>>();
const maxOpened = 100;

function reuseOrOpen(key: string, open: () => Promise<() => Model>): Promise<() => Model> {
  const model = opened.get(key) ?? open();
  opened.delete(key);
  opened.set(key, model); // the last one used is the last one dropped
  model.catch(() => opened.delete(key));
  const [oldest = ""] = opened.keys();
  if (opened.size > maxOpened) opened.delete(oldest);
  return model;
}

function secretUnavailable(error: unknown): Failure {
  const reason = error instanceof Error ? error.name : "no reason given";
  return {
    category: "model_configuration",
    title: `The secret with the API key of the organization's inference model could not be read: ${reason}.`,
    remedy: "It is tried again by itself; see the status page of the service that keeps the secret.",
    retryable: true,
  };
}

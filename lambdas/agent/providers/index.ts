import type { Model, ModelConfiguration } from "../model.ts";

/** Resolves a secret's name without a network call; undefined when there is no such secret. */
export type SecretOf = (secret: string) => string | undefined;

type Configured<Name extends ModelConfiguration["provider"]> = Extract<ModelConfiguration, { provider: Name }>;

interface Provider<Configuration> {
  /** Why it can't be used as configured, as a sentence for people; undefined when it can. */
  problem(configuration: Configuration, secretOf: SecretOf): string | undefined;
  /** `model`: the one that the agent chose over the configured one. */
  open(configuration: Configuration, model: string | undefined, secretOf: SecretOf): Promise<Model>;
}

/** Model providers by name. They are loaded when first opened, so that nobody pays for one that is not used. */
const providers: { [Name in ModelConfiguration["provider"]]: Provider<Configured<Name>> } = {
  demo: {
    problem: () => undefined,
    open: async () => (await import("./demo.ts")).demo,
  },
  "openai-compatible": {
    problem({ baseUrl, secret }, secretOf) {
      if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) {
        return "The base URL of the organization's inference model is not an http or https address; correct it.";
      }
      if (secret === undefined || secretOf(secret)) return undefined;
      return "The secret with the API key of the organization's inference model does not exist; create it, or name another.";
    },
    async open({ baseUrl, model, secret }, chosen, secretOf) {
      const { openAiCompatible } = await import("./openai-compatible.ts");
      const apiKey = secret === undefined ? undefined : secretOf(secret);
      return openAiCompatible({ baseUrl, model: chosen ?? model, ...(apiKey !== undefined && { apiKey }) });
    },
  },
};

/**
 * Why an organization has no usable inference model, as a sentence for people that says what to do; undefined when it
 * has one. Makes no network call: whether the provider answers shows in the run.
 */
export function modelProblem(configuration: ModelConfiguration | undefined, secretOf: SecretOf): string | undefined {
  if (!configuration) return "The organization has no inference model configured; configure one to create runs.";
  if (!configuration.enabled) return "The organization's inference model is disabled; enable it to create runs.";
  const provider = providerOf(configuration);
  if (!provider) {
    const known = Object.keys(providers).join(", ");
    return `The organization's model provider '${configuration.provider}' is unknown; configure one of: ${known}.`;
  }
  return provider.problem(configuration, secretOf);
}

/** The model that an agent runs on. Rejects with the sentence of `modelProblem` when there is none. */
export async function openModel(
  configuration: ModelConfiguration,
  modelOverride: string | undefined,
  secretOf: SecretOf,
): Promise<Model> {
  const problem = modelProblem(configuration, secretOf);
  const provider = providerOf(configuration);
  if (problem !== undefined || !provider) throw new Error(problem);
  return provider.open(configuration, modelOverride, secretOf);
}

/** The table's entry fits the configuration's own kind, which the compiler can't see through the look-up. */
function providerOf(configuration: ModelConfiguration): Provider<ModelConfiguration> | undefined {
  if (!Object.hasOwn(providers, configuration.provider)) return undefined;
  return providers[configuration.provider];
}

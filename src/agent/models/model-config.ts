import type { Failure, ModelConfiguration } from "../model.ts";

/** Whether a secret that a model configuration names can be there, without a network call. */
export type SecretExists = (secret: string) => boolean;

/**
 * The value of a secret; undefined when there is none that may be read. Rejects when it could not be asked for, which
 * waiting may fix. The value appears in no error.
 */
export type SecretOf = (secret: string) => Promise<string | undefined>;

/** A provider's own configuration. */
export type Configured<Name extends ModelConfiguration["provider"]> = Extract<ModelConfiguration, { provider: Name }>;

/** Names of the model providers, as in `org set-model --provider`. */
export const providerNames = ["demo", "openai-compatible", "anthropic", "bedrock"] as const;

/**
 * Why an organization has no usable inference model, as a sentence for people that says what to do; undefined when it
 * has one. Makes no network call: whether the provider answers shows in the run. Loads no provider either, so that
 * the create function's bundle holds none (1.1 MB, 70 ms of its start).
 */
export function modelProblem(
  configuration: ModelConfiguration | undefined,
  secretExists: SecretExists,
): string | undefined {
  if (!configuration) return "The organization has no inference model configured; configure one to create runs.";
  if (!configuration.enabled) return "The organization's inference model is disabled; enable it to create runs.";
  const { provider } = configuration;
  if (!providerNames.includes(provider)) {
    return `The organization's model provider '${provider}' is unknown; configure one of: ${providerNames.join(", ")}.`;
  }
  const { baseUrl, secret, region } = fieldsOf(configuration);
  if (baseUrl !== undefined && !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) {
    return "The base URL of the organization's inference model is not an http or https address; correct it.";
  }
  // It becomes part of a host name.
  if (region !== undefined && !isRegion(region)) {
    return "The region of the organization's inference model is not the name of an AWS region; correct it (such as eu-central-1).";
  }
  return secret === undefined || secretExists(secret) ? undefined : noSecret;
}

export const noSecret =
  "The secret with the API key of the organization's inference model does not exist or may not be read; " +
  "create it (a file with mode 600), or name another.";

/** Whether a name has the form of an AWS region's. */
export function isRegion(name: string): boolean {
  return /^[a-z]{2,}(-[a-z]+)+-\d$/.test(name);
}

/** Ends a run whose organization has no usable model. */
export function misconfigured(problem: string): Failure {
  return {
    category: "model_configuration",
    title: problem,
    remedy: "Set the organization's model (admin org set-model), then create a new run.",
    retryable: false,
  };
}

/** The settings that providers share, whichever of them this one has. */
export function fieldsOf(configuration: ModelConfiguration): {
  provider: string;
  baseUrl?: string;
  model?: string;
  secret?: string;
  region?: string;
} {
  return configuration;
}

import { parseUrl } from "../../net/parse-url.ts";
import type { Failure, ModelConfiguration, OpenAiCompat } from "../model.ts";

/** The configuration of one provider. */
export type ProviderConfiguration<Name extends ModelConfiguration["provider"]> = Extract<
  ModelConfiguration,
  { provider: Name }
>;

/** Values of `org set-model --provider`. */
export const providerNames = ["demo", "openai-compatible", "openai-responses", "anthropic", "bedrock"] as const;

/**
 * Checks that an organization has a usable inference model. Returns the problem and what to do about it, or undefined.
 * `secretRefusal`: see `Secrets`. `name`: of the configuration, if the agent names one. Makes no network call, and loads no
 * provider: they would add 1.1 MB and 70 ms of start time to the create function.
 */
export function modelProblem(
  configuration: ModelConfiguration | undefined,
  secretRefusal: (secret: string, url: string) => string | undefined,
  name?: string,
): string | undefined {
  const problem = problemOf(configuration, secretRefusal);
  if (name === undefined || problem === undefined) return problem;
  if (configuration) return `Model configuration '${name}': ${problem}`;
  return `The organization has no model configuration '${name}'; add it, or name another one in the agent file.`;
}

function problemOf(
  configuration: ModelConfiguration | undefined,
  secretRefusal: (secret: string, url: string) => string | undefined,
): string | undefined {
  if (!configuration) return "The organization has no inference model configured; configure one to create runs.";
  if (!configuration.enabled) return "The organization's inference model is disabled; enable it to create runs.";
  const { provider } = configuration;
  if (!providerNames.includes(provider)) {
    return `The organization's model provider '${provider}' is unknown; configure one of: ${providerNames.join(", ")}.`;
  }
  const { baseUrl, secret, region } = configurationFields(configuration);
  if (baseUrl !== undefined && !/^https?:$/.test(parseUrl(baseUrl)?.protocol ?? "")) {
    return "The base URL of the organization's inference model is not an http or https URL; correct it.";
  }
  // The region becomes part of a host name.
  if (region !== undefined && !isRegion(region)) {
    return "The region of the organization's inference model is not the name of an AWS region; correct it (for example eu-central-1).";
  }
  if (needsBedrockKey(configurationFields(configuration)))
    return `The organization's inference model has no secret: ${bedrockKeyRule}.`;
  const refusal = secret === undefined ? undefined : secretRefusal(secret, modelUrl(configuration));
  return refusal && keyProblem(refusal);
}

/** The hosts of Amazon Bedrock that have APIs of OpenAI, at `/openai/v1` or `/v1`. */
export const bedrockHosts = /^bedrock-(runtime|mantle)(-fips)?\.[a-z0-9-]+\.(amazonaws\.com(\.cn)?|api\.aws)$/;

/** Why a model at an OpenAI-compatible address of Bedrock needs a secret, as a clause. */
export const bedrockKeyRule =
  "OpenAI's APIs on Amazon Bedrock need an API key of Bedrock, because requests to them are not signed; name the key with " +
  "a secret, or use the provider bedrock, which has the AWS credentials of the service";

/** Whether it is a configuration of OpenAI's APIs on Bedrock without a key. */
export function needsBedrockKey({
  provider,
  baseUrl,
  secret,
}: {
  provider: string;
  baseUrl?: string | undefined;
  secret?: string | undefined;
}): boolean {
  const isBedrock = bedrockHosts.test(parseUrl(baseUrl ?? "")?.hostname ?? "");
  return isBedrock && provider.startsWith("openai-") && secret === undefined;
}

/** The URL that Anthropic's API has without `baseUrl`. */
export const anthropicUrl = "https://api.anthropic.com/v1";

/** The URL that the provider's API key is sent to. */
export function modelUrl(configuration: ModelConfiguration): string {
  return configurationFields(configuration).baseUrl ?? anthropicUrl;
}

/** Whether a base URL is Ollama's, by its port or host name. */
export function isOllama(baseUrl: string): boolean {
  return /:11434\b|\/\/ollama\b/.test(baseUrl);
}

/** A sentence about the secret with the provider's API key. `refusal`: see `Secrets`. */
export function keyProblem(refusal: string): string {
  return `The secret with the API key of the organization's inference model ${refusal}.`;
}

/** Whether a name has the format of an AWS region. */
export function isRegion(name: string): boolean {
  return /^[a-z]{2,}(-[a-z]+)+-\d$/.test(name);
}

/** The remedy of a run whose organization has no usable model. */
export const setModel = "Set the organization's model (admin org set-model), then create a new run.";

/** The failure of a run whose organization has no usable model. */
export function misconfiguration(problem: string, remedy = setModel): Failure {
  return {
    category: "model_configuration",
    title: problem,
    remedy,
    retryable: false,
  };
}

/** The settings of all providers; those that this provider does not have are undefined. */
export function configurationFields(configuration: ModelConfiguration): {
  provider: string;
  baseUrl?: string;
  model?: string;
  secret?: string;
  region?: string;
  compat?: OpenAiCompat;
  idleSeconds?: number;
} {
  return configuration;
}

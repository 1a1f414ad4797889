import type { ModelConfiguration } from "../model.ts";

/** Resolves a secret's name without a network call; undefined when there is no such secret. */
export type SecretOf = (secret: string) => string | undefined;

/** A provider's own configuration. */
export type Configured<Name extends ModelConfiguration["provider"]> = Extract<ModelConfiguration, { provider: Name }>;

type Problem<Name extends ModelConfiguration["provider"]> = (
  configuration: Configured<Name>,
  secretOf: SecretOf,
) => string | undefined;

/** Why a provider can't be used as configured, as a sentence for people; undefined when it can. */
const problems: { [Name in ModelConfiguration["provider"]]: Problem<Name> } = {
  demo: () => undefined,
  "openai-compatible"({ baseUrl, secret }, secretOf) {
    if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) {
      return "The base URL of the organization's inference model is not an http or https address; correct it.";
    }
    if (secret === undefined || secretOf(secret)) return undefined;
    return "The secret with the API key of the organization's inference model does not exist; create it, or name another.";
  },
};

/**
 * Why an organization has no usable inference model, as a sentence for people that says what to do; undefined when it
 * has one. Makes no network call: whether the provider answers shows in the run. Loads no provider either, so that
 * the create function's bundle holds none (1.1 MB, 70 ms of its start).
 */
export function modelProblem(configuration: ModelConfiguration | undefined, secretOf: SecretOf): string | undefined {
  if (!configuration) return "The organization has no inference model configured; configure one to create runs.";
  if (!configuration.enabled) return "The organization's inference model is disabled; enable it to create runs.";
  if (!Object.hasOwn(problems, configuration.provider)) {
    const known = Object.keys(problems).join(", ");
    return `The organization's model provider '${configuration.provider}' is unknown; configure one of: ${known}.`;
  }
  // The entry fits the configuration's own kind, which the compiler can't see through the look-up.
  return problems[configuration.provider](configuration as never, secretOf);
}

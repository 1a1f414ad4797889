import type { Model, ModelConfiguration } from "../model.ts";
import { type Configured, modelProblem, type SecretOf } from "./configuration.ts";

/** Opens a provider's model. `model`: the one that the agent chose over the configured one. */
type Open<Name extends ModelConfiguration["provider"]> = (
  configuration: Configured<Name>,
  model: string | undefined,
  secretOf: SecretOf,
) => Promise<Model>;

/** Model providers by name. They are loaded when first opened, so that nobody pays for one that is not used. */
const providers: { [Name in ModelConfiguration["provider"]]: Open<Name> } = {
  demo: async () => (await import("./demo.ts")).demo,
  async "openai-compatible"({ baseUrl, model, secret }, chosen, secretOf) {
    const { openAiCompatible } = await import("./openai-compatible.ts");
    const apiKey = secret === undefined ? undefined : secretOf(secret);
    return openAiCompatible({ baseUrl, model: chosen ?? model, ...(apiKey !== undefined && { apiKey }) });
  },
};

/** The model that an agent runs on. Rejects with the sentence of `modelProblem` when there is none. */
export async function openModel(
  configuration: ModelConfiguration,
  modelOverride: string | undefined,
  secretOf: SecretOf,
): Promise<Model> {
  const problem = modelProblem(configuration, secretOf);
  if (problem !== undefined) throw new Error(problem);
  // The entry fits the configuration's own kind, which the compiler can't see through the look-up.
  return providers[configuration.provider](configuration as never, modelOverride, secretOf);
}

import type { Agent, Organization } from "../../src/accounts/account-types.ts";
import { expectedWindow } from "../../src/agent/models/ollama.ts";
import { publicBaseUrl } from "../../src/agent/public-url.ts";
import { defaultContextTokens } from "../../src/agent/turn/history/context-window.ts";

const remedy =
  "Ollama cuts longer inputs. Raise the context window (num_ctx in a Modelfile, or OLLAMA_CONTEXT_LENGTH), or set contextTokens to its size.";

/**
 * A warning about the organization's model when it runs on Ollama: the server does not respond, does not have the model,
 * or runs it with a smaller context window than the agent plans with. Asks only servers without an API key. Takes at most
 * 4 s.
 */
export async function modelWarning(
  agent: Pick<Agent, "model" | "contextTokens">,
  { model: configuration }: Pick<Organization, "model">,
): Promise<string | undefined> {
  if (configuration?.provider !== "openai-compatible" && configuration?.provider !== "openai-responses")
    return undefined;
  if (configuration.secret !== undefined) return undefined;
  const model = agent.model ?? configuration.model;
  const planned = agent.contextTokens ?? defaultContextTokens;
  const window = await expectedWindow({ baseUrl: configuration.baseUrl, model });
  if (window === "unreachable") {
    return `the model server ${publicBaseUrl(configuration.baseUrl)} does not respond. Runs wait until it does: start it, or change --model-base-url.`;
  }
  if (window === "unknown model") {
    return `Ollama does not have the model '${model}': run 'ollama pull ${model}', or change --model-name.`;
  }
  if (!window || (window.tokens ?? 0) >= planned) return undefined;
  const size = window.tokens === undefined ? "the default, often 4096 tokens" : `${window.tokens} tokens`;
  return `the context window of the model '${model}' is ${size}; the agent's contextTokens is ${planned}. ${remedy}`;
}

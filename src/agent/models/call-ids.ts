import { hash } from "node:crypto";
import type { Message, ModelAnswer } from "../model.ts";

/**
 * The ids of tool calls that the APIs accept, such as "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'" of
 * Anthropic. Mistral's rule is one of `openai-compat.ts`; the AI SDK has that of Mistral's models on Bedrock.
 */
export const acceptedCallIds = {
  anthropic: /^[a-zA-Z0-9_-]+$/,
  bedrock: /^[a-zA-Z0-9_-]{1,64}$/,
  // OpenAI's limit (vercel/ai#5171). The models of Kimi need their ids, such as "functions.read_file:0", as they were.
  "openai-compatible": /^(.{1,40}|functions\..+:\d+)$/s,
  "openai-responses": /^.{1,64}$/s,
};

/**
 * What is sent in place of those ids that an API does not accept (vybestack/llxprt-code#964). The same id always gives the
 * same result. `isOwn`: the provider itself sent the answer, and accepts its ids.
 */
export function replacedCallIds(
  messages: Message[],
  accepted: RegExp,
  isOwn: (answer: Pick<ModelAnswer, "echo">) => boolean,
): Map<string, string> {
  const foreign = messages.flatMap((message) =>
    message.role === "assistant" && !isOwn(message.answer) ? message.answer.toolCalls : [],
  );
  const refused = foreign.filter(({ id }) => !accepted.test(id));
  return new Map(refused.map(({ id }) => [id, `call_${hash("sha256", id).slice(0, 32)}`]));
}

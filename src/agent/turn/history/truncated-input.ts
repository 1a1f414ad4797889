import type { Failure, Message, ModelRequest } from "../../model.ts";

/** Counts below this do not come from a context window, but from servers that report a constant. */
const smallestWindow = 512;

/**
 * Words, numbers of up to three digits, and groups of up to four Han characters. The tokenizers of GPT, Llama, Qwen,
 * Mistral and Gemma need at least one token for each, so that their number is a lower bound. Measured in tokens per piece:
 * English prose 1.3, CSV 1.6, Chinese 3.
 */
const pieces = /\p{Script=Han}{1,4}|\p{L}+|\p{N}{1,3}/gu;

/** Characters per token in texts whose pieces are counted. Shorter texts cannot have enough of them. */
const charactersPerToken = 4;

interface ReportedInput {
  /** Input tokens that the server reports for the request. 0: it does not count. */
  inputTokens: number;
  /** The server's context window, if it is known. */
  contextWindow?: number | undefined;
  /** `inputTokens` of the previous call of the conversation, which was shorter. */
  previous?: number | undefined;
}

/**
 * The failure of a request whose input the server cut without an error, as Ollama does; undefined when it was not cut.
 * - With a known context window: the server counts as many tokens as the window has, because Ollama cuts inputs to this
 *   length. Or the input has more pieces than that, and the server counts fewer: Ollama drops the oldest messages first.
 * - Otherwise: the server counts less than half of the pieces, and its count looks like a limit: a multiple of 1,024 or
 *   1,000, or one less, or the same as for the previous, shorter conversation. Servers that count only tokens outside of
 *   their prompt cache report other numbers.
 */
export function truncatedInput(
  request: Pick<ModelRequest, "instructions" | "messages">,
  { inputTokens, contextWindow, previous }: ReportedInput,
): Failure | undefined {
  if (inputTokens < smallestWindow) return undefined;
  if (inputTokens === contextWindow) return failure(contextWindow, `cut the input to ${contextWindow} tokens`);
  const texts = [request.instructions, ...request.messages.flatMap(textsOf)];
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters <= inputTokens * charactersPerToken) return undefined;
  const least = texts.reduce((sum, text) => sum + countPieces(text), 0);
  const cut =
    contextWindow === undefined
      ? least > inputTokens * 2 && (isRound(inputTokens) || inputTokens === previous)
      : least > contextWindow && inputTokens <= contextWindow;
  const what = `cut the input: it read ${inputTokens} of more than ${least} tokens`;
  return cut ? failure(contextWindow ?? inputTokens, what) : undefined;
}

/** Texts that every chat template contains. Templates may leave out reasoning, and write tool calls in their own way. */
function textsOf(message: Message): string[] {
  if (message.role === "user") return [message.text];
  return message.role === "tool" ? message.results.map(({ text }) => text) : [message.answer.text];
}

function countPieces(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(pieces)) count++;
  return count;
}

function isRound(tokens: number): boolean {
  return [tokens, tokens + 1].some((count) => count % 1_024 === 0 || count % 1_000 === 0);
}

function failure(window: number, what: string): Failure {
  return {
    category: "model_configuration",
    title: `The model server ${what}.`,
    remedy:
      "Raise the context window of the model server (Ollama: num_ctx in the Modelfile, or OLLAMA_CONTEXT_LENGTH), or set " +
      `the agent's contextTokens to at most ${window} and use a smaller task.`,
    retryable: false,
  };
}

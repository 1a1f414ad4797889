import { asText, defaultContextTokens, summaryInstructions } from "./context.ts";
import type { Failure, ModelAnswer, ModelOutcome, ModelRequest, ToolDefinition } from "./model.ts";
import { withRetries } from "./retry.ts";
import { type ContextCut, priced, shortened, type SummaryPart } from "./steps.ts";
import type { Turn } from "./turn.ts";
import { within } from "./within.ts";

/** The last call, once a limit is reached, may take this long beyond the turn's seconds. */
export const wrapUpMilliseconds = 120_000;

interface Call {
  note: string | undefined;
  cut: ContextCut | undefined;
  /** Empty: the model has to answer with text. */
  tools: ToolDefinition[];
  /** Milliseconds after which the call is cut off, its retries included. */
  timeLeft: number;
}

type Failed = Extract<ModelOutcome, { failure: Failure }>;
/** `milliseconds`: how long the call took that brought the answer. */
type Answered = { answer: ModelAnswer; milliseconds: number };
type Asked = Answered | Failed;

/** The model's next answer to the conversation. */
export function callModel(turn: Turn, { note, cut, tools, timeLeft }: Call): Promise<Asked | "timed-out"> {
  const { input, ports, progress } = turn;
  const messages = cut ? shortened(progress.messages, cut.results) : [...progress.messages];
  if (note !== undefined) messages.push({ role: "user", text: note, note: true });
  if (cut) ports.emit({ type: "context-cut", step: progress.used.steps + 1, shortened: cut.results });
  const { instructions, parameters } = input;
  return ask(turn, { instructions, messages, tools, ...(parameters && { parameters }) }, timeLeft);
}

/**
 * A model call that puts the first `count` messages into a few words. When the provider won't do it, the run goes on
 * without them rather than not at all.
 */
export async function summarise(
  turn: Turn,
  count: number,
  timeLeft: number,
): Promise<SummaryPart | Failed | "timed-out"> {
  const { input, ports, progress } = turn;
  const step = progress.used.steps + 1;
  const text = asText(progress.messages.slice(0, count), input.contextTokens ?? defaultContextTokens);
  ports.emit({ type: "context-cut", step, summarised: count });
  const outcome = await ask(
    turn,
    { instructions: summaryInstructions, messages: [{ role: "user", text }], tools: [] },
    timeLeft,
  );
  if (outcome === "timed-out") return outcome;
  if ("failure" in outcome && outcome.failure.retryable) return outcome;
  const answer = "answer" in outcome ? outcome.answer : { text: "", usage: { inputTokens: 0, outputTokens: 0 } };
  const inputsLeft = progress.messages.slice(count).filter((message) => message.role === "user" && !message.note);
  return {
    part: "summary",
    step,
    text: answer.text.trim() || "(No summary could be made of it.)",
    messages: count,
    throughTurn: input.turn - Math.max(1, inputsLeft.length),
    usage: answer.usage,
    ...priced(answer.usage, input.prices),
  };
}

/** One model call with its retries, cut off in time or by the turn's signal, even if the model ignores both. */
function ask(
  { input, ports, progress }: Turn,
  request: Pick<ModelRequest, "instructions" | "messages" | "tools" | "parameters">,
  timeLeft: number,
): Promise<Asked | "timed-out"> {
  const step = progress.used.steps + 1;
  const until = ports.now() + timeLeft;
  const once = async (): Promise<Asked | "timed-out"> => {
    const begun = ports.now();
    ports.emit({ type: "model-called", step });
    const outcome = await within(until - begun, ports.signal, (signal) =>
      ports.model({ ...request, readAttachment: (name) => ports.files.read(name), signal }),
    );
    const milliseconds = ports.now() - begun;
    if (outcome === "timed-out") {
      ports.emit({ type: "model-failed", step, milliseconds, failure: cutOff });
    } else if ("failure" in outcome) {
      ports.emit({ type: "model-failed", step, milliseconds, failure: outcome.failure });
    } else {
      const { finishReason, usage } = outcome.answer;
      ports.emit({ type: "model-answered", step, milliseconds, ...usage, finishReason });
      return { ...outcome, milliseconds };
    }
    return outcome;
  };
  return withRetries<Answered>(once, {
    patience: Math.min(input.patience, timeLeft, input.deadline - ports.now()),
    signal: ports.signal,
    onWait: (milliseconds) => ports.emit({ type: "model-awaited", step, milliseconds }),
  });
}

const cutOff: Failure = {
  category: "limit",
  title: "The model call was cut off because the turn's seconds are used up.",
  remedy: "Raise the agent's limit of seconds, or use a faster model.",
  retryable: false,
};

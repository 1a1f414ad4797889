import { type LimitReason, limitName, reachedLimit } from "./limits.ts";
import type { Failure, Limits, Message, Model, ModelAnswer, ModelOutcome, ToolCall, ToolResult } from "./model.ts";
import {
  type AnswerPart,
  type Ended,
  foldStep,
  isEmpty,
  type Progress,
  startProgress,
  type StepPart,
} from "./steps.ts";
import { filesNote } from "./tools/list-files.ts";
import type { Files, Tool, ToolOutput } from "./tools/tool.ts";
import { within } from "./within.ts";

export interface TurnPorts {
  model: Model;
  tools: Tool[];
  files: Files;
  /** Milliseconds since 1970. */
  now(): number;
  /** Stops the turn wherever it is: the model call's connection is closed, running tools are not waited for. */
  signal: AbortSignal;
  /** Makes a part durable. False: somebody else moved the run on, and this turn is no longer ours. */
  record(part: StepPart): Promise<boolean>;
  emit(event: TurnEvent): void;
}

export interface TurnInput {
  instructions: string;
  /** Earlier turns and this turn's input. */
  history: Message[];
  /** This turn's records so far, in the order they were made. */
  recorded: StepPart[];
  limits: Limits;
  /** When this turn's input was accepted, in milliseconds since 1970. */
  startedAt: number;
  /** Milliseconds since 1970 from which on no new step is begun. */
  deadline: number;
}

/**
 * How a call of `runTurn` ended. `done`: `last` is not recorded yet, so that the caller can write it together with the
 * output. `retry`: waiting may help (`after`: milliseconds the provider asked for). `paused`: the deadline has come.
 * `stopped`: the signal, or another worker.
 */
export type TurnOutcome =
  | { kind: "done"; text: string; last: StepPart; ended: Ended }
  | { kind: "failed"; failure: Failure }
  | { kind: "retry"; failure: Failure; after?: number }
  | { kind: "paused" }
  | { kind: "stopped" };

/** What happens in a turn, without any content of prompts, answers and files. Durations are in milliseconds. */
export type TurnEvent =
  | { type: "model-called"; step: number }
  | {
      type: "model-answered";
      step: number;
      milliseconds: number;
      inputTokens: number;
      outputTokens: number;
      finishReason: ModelAnswer["finishReason"];
    }
  | { type: "model-failed"; step: number; milliseconds: number; failure: Failure }
  | { type: "tool-called"; step: number; callId: string; name: string }
  | { type: "tool-ended"; step: number; callId: string; name: string; milliseconds: number; error: boolean }
  | { type: "limit-reached"; step: number; reason: LimitReason };

/** The last call, once a limit is reached, may take this long beyond the turn's seconds. */
const wrapUpMilliseconds = 120_000;

/**
 * Works on a turn until it ends, its deadline comes, or it is stopped. Continues after the last of `recorded`: a step
 * whose answer is recorded costs no second model call, tools whose results are recorded do not run again.
 *
 * At a limit the model is called once more, without tools and beyond the limit, to answer with what it has. An answer
 * with neither text nor tool calls is asked for once more in the same turn; the second one fails it.
 *
 * Rejects only with what `record`, `files` or a tool reject with: trouble that is not the model's to mend.
 */
export async function runTurn(input: TurnInput, ports: TurnPorts): Promise<TurnOutcome> {
  const turn: Turn = { input, ports, progress: input.recorded.reduce(foldStep, startProgress(input.history)) };
  try {
    for (;;) {
      ports.signal.throwIfAborted();
      const outcome = await proceed(turn);
      if (outcome) return outcome;
    }
  } catch (error) {
    if (ports.signal.aborted) return { kind: "stopped" };
    throw error;
  }
}

interface Turn {
  input: TurnInput;
  ports: TurnPorts;
  progress: Progress;
}

/** Does the next thing. Undefined: the turn goes on. */
async function proceed(turn: Turn): Promise<TurnOutcome | undefined> {
  const { input, ports, progress } = turn;
  const milliseconds = ports.now() - input.startedAt;
  const timeLeft = input.limits.seconds * 1000 - milliseconds;
  if (progress.last) return done(progress.last);
  if (progress.pending) return keep(turn, await runTools(turn, progress.pending, timeLeft));
  if (ports.now() >= input.deadline) return { kind: "paused" };

  const reason = reachedLimit({ ...progress, milliseconds }, input.limits);
  if (reason) return wrapUp(turn, reason);

  const step = progress.steps + 1;
  const note = await noteBefore(turn);
  const outcome = await callModel(turn, note, ports.tools, timeLeft);
  if (outcome === "timed-out") return wrapUp(turn, "seconds");
  if ("failure" in outcome) return unsuccessful(outcome);

  const { answer } = outcome;
  const part: AnswerPart = { part: "answer", step, answer, ...(note !== undefined && { note }) };
  if (answer.toolCalls.length > 0) return keep(turn, part);
  if (!isEmpty(answer)) return done(answer.finishReason === "length" ? { ...part, ended: "answer_length" } : part);
  if (answer.finishReason === "content-filter") return { kind: "failed", failure: refused };
  return progress.emptyAnswers > 0 ? { kind: "failed", failure: emptyAgain } : keep(turn, part);
}

async function keep(turn: Turn, part: StepPart): Promise<TurnOutcome | undefined> {
  if (!(await turn.ports.record(part))) return { kind: "stopped" };
  turn.progress = foldStep(turn.progress, part);
  return undefined;
}

function done(last: AnswerPart): TurnOutcome {
  return { kind: "done", text: last.answer.text, last, ended: last.ended ?? "normally" };
}

function unsuccessful({ failure, retryAfter }: Extract<ModelOutcome, { failure: Failure }>): TurnOutcome {
  if (!failure.retryable) return { kind: "failed", failure };
  return { kind: "retry", failure, ...(retryAfter !== undefined && { after: retryAfter }) };
}

/** What the model is told before its next answer: at the start the files there are, after an empty answer to go on. */
async function noteBefore({ ports, progress }: Turn): Promise<string | undefined> {
  if (progress.steps === 0) return ports.tools.length > 0 ? filesNote(await ports.files.list()) : undefined;
  const last = progress.messages.at(-1);
  if (last?.role !== "assistant") return undefined;
  return "Your last answer was empty. Use a tool, or answer the input with text.";
}

/** One last call without tools. Its text is the turn's output; only without any is the limit a failure. */
async function wrapUp(turn: Turn, reason: LimitReason): Promise<TurnOutcome> {
  const { input, ports, progress } = turn;
  const limit = limitName(reason, input.limits);
  const step = progress.steps + 1;
  const note =
    `The ${limit} of this turn is reached. Tools can no longer be used. ` +
    "Answer the input now with what you have found so far, and say what is missing.";
  ports.emit({ type: "limit-reached", step, reason });
  const outcome = await callModel(turn, note, [], wrapUpMilliseconds);
  if (outcome === "timed-out") return { kind: "failed", failure: limitFailure(limit, "it took too long", false) };
  if ("failure" in outcome) {
    const failure = limitFailure(limit, outcome.failure.title, outcome.failure.retryable);
    return unsuccessful({ ...outcome, failure });
  }
  const { text, finishReason, usage, echo, toolCalls } = outcome.answer;
  if (text.trim() === "") return { kind: "failed", failure: limitFailure(limit, "its answer was empty", false) };
  // Calls that it made all the same stay undone; the echo would repeat them.
  const kept = echo !== undefined && toolCalls.length === 0 && { echo };
  const answer: ModelAnswer = { text, toolCalls: [], finishReason, usage, ...kept };
  return done({ part: "answer", step, answer, note, ended: reason });
}

/** One model call, cut off after `timeLeft` milliseconds or by the turn's signal, even if the model ignores both. */
async function callModel(
  { input, ports, progress }: Turn,
  note: string | undefined,
  tools: Tool[],
  timeLeft: number,
): Promise<ModelOutcome | "timed-out"> {
  const step = progress.steps + 1;
  const messages = [...progress.messages];
  if (note !== undefined) messages.push({ role: "user", text: note, note: true });
  const begun = ports.now();
  ports.emit({ type: "model-called", step });
  const outcome = await within(timeLeft, ports.signal, (signal) =>
    ports.model({ instructions: input.instructions, messages, tools: tools.map((tool) => tool.definition), signal }),
  );
  const milliseconds = ports.now() - begun;
  if (outcome === "timed-out") {
    ports.emit({ type: "model-failed", step, milliseconds, failure: cutOff });
  } else if ("failure" in outcome) {
    ports.emit({ type: "model-failed", step, milliseconds, failure: outcome.failure });
  } else {
    const { finishReason, usage } = outcome.answer;
    const { inputTokens, outputTokens } = usage;
    ports.emit({ type: "model-answered", step, milliseconds, inputTokens, outputTokens, finishReason });
  }
  return outcome;
}

/** Runs the calls of one answer at the same time. Results are in call order. */
async function runTools(
  { ports, input }: Turn,
  { step, calls }: NonNullable<Progress["pending"]>,
  timeLeft: number,
): Promise<StepPart> {
  const runs = calls.map(async (call): Promise<ToolResult> => {
    const begun = ports.now();
    ports.emit({ type: "tool-called", step, callId: call.id, name: call.name });
    const output = await runTool(call, ports, timeLeft, limitName("seconds", input.limits));
    const milliseconds = ports.now() - begun;
    const error = output.error === true;
    ports.emit({ type: "tool-ended", step, callId: call.id, name: call.name, milliseconds, error });
    return { callId: call.id, name: call.name, ...output };
  });
  // All have ended before one's rejection is passed on, so that none works on behind the caller's back.
  const settled = await Promise.allSettled(runs);
  const results = settled.map((run) => {
    if (run.status === "rejected") throw run.reason;
    return run.value;
  });
  return { part: "results", step, results };
}

async function runTool(
  call: ToolCall,
  { tools, files, signal }: TurnPorts,
  timeLeft: number,
  limit: string,
): Promise<ToolOutput> {
  if (call.invalid !== undefined) return { text: call.invalid, error: true };
  const tool = tools.find(({ definition }) => definition.name === call.name);
  if (!tool) {
    const names = tools.map(({ definition }) => definition.name).join(", ") || "none";
    return { text: `There is no tool ${JSON.stringify(call.name)}. Tools that can be used: ${names}.`, error: true };
  }
  const output = await within(timeLeft, signal, (cut) => tool.run(call.input, { files, signal: cut }));
  if (output !== "timed-out") return output;
  return { text: `Cut off: the ${limit} of this turn is reached. Its effect is unknown.`, error: true };
}

const refused: Failure = {
  category: "model_refused",
  title: "The model provider's content filter withheld the whole answer.",
  remedy: "Change the input or the agent's instructions, or use a model with another filter.",
  retryable: false,
};

const emptyAgain: Failure = {
  category: "model_answer",
  title: "The model answered twice with neither text nor a tool call.",
  remedy: "Try the input on another model, or raise the most output tokens that the model server allows.",
  retryable: false,
};

const cutOff: Failure = {
  category: "limit",
  title: "The model call was cut off because the turn's seconds are used up.",
  remedy: "Raise the agent's limit of seconds, or use a faster model.",
  retryable: false,
};

function limitFailure(limit: string, why: string, retryable: boolean): Failure {
  return {
    category: "limit",
    title: `The ${limit} was reached, and the model gave no last answer: ${why}`.replace(/\.?$/, "."),
    remedy: "Raise the agent's limits, or give it a smaller task.",
    retryable,
  };
}

import { filesNote } from "../tools/list-files.ts";
import { offered } from "../tools/tool.ts";
import type { ModelAnswer, ModelFailure, ToolDefinition } from "../model.ts";
import { callModel } from "./call-model.ts";
import { compact } from "./compaction.ts";
import { contextPlan, defaultContextTokens } from "./context-window.ts";
import { executeTools } from "./execute-tools.ts";
import { finalAnswer, lastAnswerMilliseconds } from "./final-answer.ts";
import { type ContextCut, foldEntry, isEmpty, type JournalEntry, type PendingCalls, startProgress } from "./journal.ts";
import { exceededLimit, type LimitExceeded } from "./limits.ts";
import { done, emptyAgain, failed, paused, refused, stopped, unsuccessful } from "./outcomes.ts";
import type { TurnState, TurnInput, TurnOutcome, TurnPorts } from "./types.ts";

/**
 * Works on a turn until it ends, its deadline comes, or it is stopped. Continues after the last of `recorded`: a step
 * whose answer is recorded costs no second model call, tools whose results are recorded do not run again.
 *
 * At a limit the model is called once more, without tools and beyond the limit, to answer with what it has. An answer
 * with neither text nor tool calls is asked for once more; the second one in a row fails the turn.
 *
 * Rejects only with what `record`, `files` or a tool reject with: trouble that is not the model's to fix.
 */
export async function runTurn(input: TurnInput, ports: TurnPorts): Promise<TurnOutcome> {
  const { history, journal: recorded, contextTokens = defaultContextTokens } = input;
  const turn: TurnState = { input, ports, contextTokens, progress: recorded.reduce(foldEntry, startProgress(history)) };
  try {
    for (;;) {
      ports.signal.throwIfAborted();
      const outcome = await proceed(turn);
      if (outcome) return outcome;
    }
  } catch (error) {
    if (ports.signal.aborted) return stopped;
    throw error;
  }
}

/** Does the next thing: of an answer its calls, of a long conversation its summary, or a step. Undefined: it goes on. */
async function proceed(turn: TurnState): Promise<TurnOutcome | undefined> {
  const { input, ports, progress } = turn;
  if (progress.last) return done(progress.last);
  if (progress.pending) return callTools(turn, progress.pending);
  if (ports.now() >= input.deadline) return paused;

  const used = { ...progress.used, milliseconds: ports.now() - input.startedAt };
  const reached = exceededLimit(used, input.usedBefore, input.limits, input.runLimits);
  const tools = reached ? [] : offered(ports.tools);
  const plan = contextPlan(progress, turn.contextTokens, { instructions: input.instructions, tools });
  if (plan.summarise !== undefined) {
    return shortenHistory(turn, plan.summarise, reached);
  }
  return reached ? finalAnswer(turn, reached, plan.shorten) : takeStep(turn, tools, plan.shorten);
}

async function callTools(turn: TurnState, pending: PendingCalls): Promise<TurnOutcome | undefined> {
  const results = await executeTools(turn, pending, timeLeft(turn));
  if (results === "stopped") return stopped;
  turn.progress = results.reduce(foldEntry, turn.progress);
  return undefined;
}

async function shortenHistory(
  turn: TurnState,
  messages: number,
  reached: LimitExceeded | undefined,
): Promise<TurnOutcome | undefined> {
  const part = await compact(turn, messages, reached ? lastAnswerMilliseconds : timeLeft(turn));
  if (part === "timed-out") return finalAnswer(turn, reached ?? outOfSeconds(turn), undefined);
  return "failure" in part ? afterFailure(turn, part) : keep(turn, part);
}

/** Asks for the next answer, and judges what it means for the turn. */
async function takeStep(
  turn: TurnState,
  tools: ToolDefinition[],
  cut: ContextCut | undefined,
): Promise<TurnOutcome | undefined> {
  const note = await noteBefore(turn);
  const part = await callModel(turn, { note, cut, tools, timeLeft: timeLeft(turn) });
  if (part === "timed-out") return finalAnswer(turn, outOfSeconds(turn), cut);
  if (part === "too-long") return undefined;
  if ("failure" in part) return afterFailure(turn, part);

  const { toolCalls, finishReason } = part.answer;
  if (toolCalls.length > 0) return keep(turn, part);
  const ended = cutEnds[finishReason];
  if (!isEmpty(part.answer)) return done(ended ? { ...part, ended } : part);
  if (finishReason === "content-filter") return failed(refused, part);
  return turn.progress.emptyAnswers > 0 ? failed(emptyAgain, part) : keep(turn, part);
}

/** What an answer that may not be whole ends its turn with. */
const cutEnds: { [Reason in ModelAnswer["finishReason"]]?: "answer_length" | "answer_filtered" } = {
  length: "answer_length",
  "content-filter": "answer_filtered",
};

/** Records a part before the turn goes on with it. */
async function keep(turn: TurnState, part: JournalEntry): Promise<TurnOutcome | undefined> {
  if (!(await turn.ports.record(part))) return stopped;
  turn.progress = foldEntry(turn.progress, part);
  return undefined;
}

/** What the model is told before its next answer: at the start the files there are, after an empty answer to go on. */
async function noteBefore({ ports, progress }: TurnState): Promise<string | undefined> {
  if (progress.messages.length === progress.inputAt + 1) {
    return offered(ports.tools).length > 0 ? filesNote(await ports.files.list()) : undefined;
  }
  if (progress.emptyAnswers === 0) return undefined;
  return "Your last answer was empty. Use a tool, or answer the input with text.";
}

/** Milliseconds of the turn's limit of seconds that are left. */
function timeLeft({ input, ports }: TurnState): number {
  return input.limits.seconds * 1_000 - (ports.now() - input.startedAt);
}

function outOfSeconds({ input }: TurnState): LimitExceeded {
  return { reason: "seconds", of: "turn", limit: input.limits.seconds };
}

function afterFailure(turn: TurnState, failure: ModelFailure): TurnOutcome {
  return unsuccessful(failure, Math.max(timeLeft(turn), lastAnswerMilliseconds));
}

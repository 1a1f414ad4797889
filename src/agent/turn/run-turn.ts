import type { Failure, StopReason, ToolDefinition } from "../model.ts";
import { filesNote } from "../tools/files/list-files.ts";
import { offeredDefinitions } from "../tools/tool.ts";
import { callModel } from "./call-model.ts";
import { retryOrFail } from "./request-answer.ts";
import { summarizeTurns } from "./history/compaction.ts";
import { defaultContextTokens, fixedContent, planCompaction } from "./history/context-window.ts";
import { executeTools } from "./execute-tools.ts";
import { ofBoth, withAskedModel, withFallback } from "./fallback.ts";
import { finalAnswer, finalAnswerMs } from "./final-answer.ts";
import { type AnswerEntry, foldEntry, isEmpty, type JournalEntry, startProgress } from "./journal.ts";
import { addUsage, findReachedLimit, noUsage, type ReachedLimit } from "./turn-limits.ts";
import { canReadAgain, namesResults } from "./history/left-out-results.ts";
import { notesPart } from "./history/notes-file.ts";
import { type NotedTool, toolsNote } from "./tool-notes.ts";
import { unmadeCall, unmadeFailure, unmadeNote } from "./unmade-calls.ts";
import { checkedAnswer, correctionNote } from "./result.ts";
import { ResultWrites } from "./files/result-writes.ts";
import { refusedInStep, withoutRefused } from "./refused-tools.ts";
import type { Truncation } from "./history/truncation.ts";
import type { ActionResult, ModelCallFailed, TurnInput, TurnOutcome, TurnPorts, TurnState } from "./turn-types.ts";

/**
 * Runs a turn until it ends, its deadline passes, or it is stopped.
 * - Resumes after the last journal entry: recorded model calls and tool results are not repeated.
 * - Calls the model while the results that it reads are written. All writes have settled when this settles.
 * - At a limit, calls the model once more without tools for a final answer.
 * - Repeats the model call after an empty answer, or one with a tool call that did not arrive as one. A second one in a row
 *   fails the turn.
 * - Asks the fallback for the rest of the turn after the retries of the first model, if another model may answer.
 * - Repeats it once after a result that does not fit its schema. A second one ends the turn, with its problems recorded.
 * - Rejects only with errors of `record`, `files` or a tool, which the model cannot fix.
 */
export async function runTurn(input: TurnInput, unbounded: TurnPorts): Promise<TurnOutcome> {
  const { history, journal, contextTokens = defaultContextTokens } = input;
  const ports = withBoundedFailures(unbounded, journal);
  const progress = journal.reduce(foldEntry, startProgress(history, input.turn));
  const sinceRetry = journal.slice(
    journal.findLastIndex((entry) => entry.part === "resumed" && entry.reason === "retry") + 1,
  );
  const begunBefore = sinceRetry.filter((entry) => entry.part === "failed" && entry.begun);
  const ofFallback = begunBefore.filter((entry) => "fallback" in entry).length;
  const begun = { failures: begunBefore.length - ofFallback, ofFallback, used: noUsage };
  const given = { input, ports };
  const writes = new ResultWrites();
  const start = withAskedModel({ ...given, given, isFallback: false, contextTokens, progress, begun, writes });
  try {
    const outcome = await takeActions(start);
    return (await writes.settled()) ? outcome : { kind: "stopped" };
  } catch (error) {
    await writes.settled().catch(() => {});
    if (ports.signal.aborted) return { kind: "stopped" };
    throw error;
  }
}

async function takeActions(start: TurnState): Promise<TurnOutcome> {
  for (let state = start; ;) {
    state.ports.signal.throwIfAborted();
    const result = await takeAction(state);
    if (result.kind !== "continue") return result;
    state = result.state;
  }
}

/** Failed model calls of a turn that are recorded each. Of later ones, only the last of an invocation is. */
const maxFailedEntries = 20;

/** The ports without entries beyond `maxFailedEntries`: a provider that is down for a day would fill the journal. */
export function withBoundedFailures(ports: TurnPorts, journal: JournalEntry[]): TurnPorts {
  let recorded = journal.filter(({ part }) => part === "failed").length;
  return {
    ...ports,
    record: async (entry) => {
      if (entry.part !== "failed") return ports.record(entry);
      if (recorded >= maxFailedEntries && !entry.last && !entry.begun) return true;
      recorded++;
      return ports.record(entry);
    },
  };
}

/** Takes the next action: end the turn, execute tool calls, compact the conversation, or call the model. */
async function takeAction(state: TurnState): Promise<ActionResult> {
  const { input, ports, progress } = state;
  if (progress.last) return done(progress.last, progress.last.answer.text);
  if (progress.pending) return await executeTools(state, progress.pending, timeLeft(state));
  if (ports.now() >= input.deadline) return { kind: "paused" };

  const used = addUsage(progress.used, state.begun.used);
  used.milliseconds = ports.now() - input.startedAt;
  const limit = findReachedLimit(used, input.usedBefore, input.limits, input.runLimits);
  const plan = planCompaction(progress, state.contextTokens, fixedContent(input, limit ? [] : toolsFor(state)));
  if (plan.summarize !== undefined) return replaceBySummary(state, plan.summarize, limit);
  const truncation = plan.truncate && { ...plan.truncate, ...(canReadAgain(ports.tools) && { named: true as const }) };
  if (limit) return await finalAnswer(state, limit, truncation);
  return await takeStep(state, toolsFor(state, truncation), truncation);
}

/** The tools for the next step. `truncation`: of its conversation. */
function toolsFor({ ports, progress, refusing }: TurnState, truncation?: Truncation): ToolDefinition[] {
  const offered = offeredDefinitions(ports.tools, { resultsLeftOut: namesResults(progress, truncation) });
  return withoutRefused(offered, progress.refused, refusing);
}

/** Replaces the first `count` messages of the conversation by a summary. */
async function replaceBySummary(
  state: TurnState,
  count: number,
  limit: ReachedLimit | undefined,
): Promise<ActionResult> {
  const outcome = await summarizeTurns(state, count, limit ? finalAnswerMs : timeLeft(state));
  switch (outcome.kind) {
    case "timed_out":
      return finalAnswer(state, limit ?? secondsLimit(state), undefined);
    case "stopped":
      return outcome;
    case "failed":
      return afterFailure(state, outcome);
    case "summarized":
      return recordEntry(state, outcome.entry);
  }
}

/** Calls the model for the next step. */
async function takeStep(
  state: TurnState,
  tools: ToolDefinition[],
  truncation: Truncation | undefined,
): Promise<ActionResult> {
  const note = await noteForStep(state);
  const outcome = await callModel(state, { note, truncation, tools, timeLeft: timeLeft(state) });
  switch (outcome.kind) {
    case "timed_out":
      return finalAnswer(state, secondsLimit(state), truncation);
    case "stopped":
      return outcome;
    case "adapted":
      return { kind: "continue", state: { ...state, ...outcome.change } };
    case "failed":
      return afterFailure(state, outcome);
    case "answered":
      return await handleAnswer(state, outcome.entry, tools);
  }
}

/** Records an answer with tool calls. Ends the turn with a text. Repeats the call once after an answer that is none. */
async function handleAnswer(state: TurnState, entry: AnswerEntry, tools: ToolDefinition[]): Promise<ActionResult> {
  const { toolCalls, finishReason: stopReason } = entry.answer;
  if (toolCalls.length > 0) return await recordEntry(state, entry);
  const unmade = unmadeCall(entry.answer, tools);
  if (unmade) return await askAgain(state, { ...entry, unmade }, unmadeFailure(unmade));
  const ended = incompleteAnswers[stopReason];
  if (!isEmpty(entry.answer)) return await endWith(state, ended ? { ...entry, ended } : entry);
  if (stopReason === "content-filter") return { kind: "failed", failure: contentFiltered, last: entry };
  return await askAgain(state, entry, emptyTwice);
}

/** Repeats the call after an answer that is none. Fails the turn after the second one in a row. */
async function askAgain(state: TurnState, entry: AnswerEntry, failure: Failure): Promise<ActionResult> {
  if (state.progress.emptyAnswers > 0) return { kind: "failed", failure, last: entry };
  return await recordEntry(state, entry);
}

/** Ends the turn with an answer. A result that does not fit its schema is asked for once more. */
async function endWith(state: TurnState, answer: AnswerEntry): Promise<ActionResult> {
  const { entry, text, correctable } = await checkedAnswer(state, answer);
  return correctable && !state.progress.problems ? await recordEntry(state, entry) : done(entry, text);
}

/** Finish reasons of turns whose output may be incomplete. */
const incompleteAnswers: { [Reason in StopReason]?: "answer_length" | "answer_filtered" } = {
  length: "answer_length",
  "content-filter": "answer_filtered",
};

/** Writes an entry to the journal before the turn continues with it. */
async function recordEntry(state: TurnState, entry: JournalEntry): Promise<ActionResult> {
  if (!(await state.writes.settled()) || !(await state.ports.record(entry))) return { kind: "stopped" };
  const progress = foldEntry(state.progress, entry);
  const { refusing: _, ...others } = state; // an answer names them, and no other entry is recorded before it
  return { kind: "continue", state: withAskedModel({ ...others, progress }) };
}

/**
 * A note for the model: missing and replaced tools, the workspace's files and notes before the first step; the notes after a
 * summary; a correction after an answer that is none, or after a result that does not fit.
 */
async function noteForStep(state: TurnState): Promise<string | undefined> {
  const { ports, progress } = state;
  const summarized = progress.summarized !== undefined;
  const refused = refusedInStep(state);
  if (progress.messages.length === progress.inputAt + 1) return await firstNote(ports, summarized, refused);
  return joined([
    toolsNote(refused),
    summarized && hasTools(ports)
      ? await notesPart(ports.files, { listed: await ports.files.list(), summarized })
      : undefined,
    progress.emptyAnswers > 0 ? (progress.unmade ? unmadeNote(progress.unmade) : emptyNote) : undefined,
    progress.problems && isAnswered(progress) ? correctionNote(progress.problems) : undefined,
  ]);
}

const emptyNote = "Your last answer was empty. Use a tool, or answer the input with text.";

/** Whether the last message is an answer of the model. A correction that it has used tools for is not asked for again. */
function isAnswered({ messages }: TurnState["progress"]): boolean {
  return messages.at(-1)?.role === "assistant";
}

async function firstNote(ports: TurnPorts, summarized: boolean, refused: NotedTool[]): Promise<string | undefined> {
  const { files } = ports;
  const missing = toolsNote([...ports.tools, ...refused]);
  if (!hasTools(ports)) return missing;
  const listed = await files.list();
  const notes = listed.length > 0 || summarized ? await notesPart(files, { listed, summarized }) : undefined;
  return joined([missing, filesNote(listed), notes]);
}

function joined(parts: (string | undefined)[]): string | undefined {
  return parts.filter((part) => part !== undefined).join("\n\n") || undefined;
}

/** Without tools, an agent cannot use files. */
function hasTools({ tools }: TurnPorts): boolean {
  return offeredDefinitions(tools).length > 0;
}

/** `text`: the output. */
function done(last: AnswerEntry, text: string): TurnOutcome {
  return { kind: "done", text, last, finishReason: last.ended ?? "completed" };
}

/** Asks the fallback, or ends the turn. */
function afterFailure(state: TurnState, failure: ModelCallFailed): ActionResult {
  const next = withFallback(state, failure);
  return next
    ? { kind: "continue", state: next }
    : retryOrFail(ofBoth(state, failure), Math.max(timeLeft(state), finalAnswerMs));
}

/** Milliseconds left of the turn's limit of seconds. */
function timeLeft({ input, ports }: TurnState): number {
  return input.limits.seconds * 1_000 - (ports.now() - input.startedAt);
}

function secondsLimit({ input }: TurnState): ReachedLimit {
  return { reason: "seconds", of: "turn", limit: input.limits.seconds };
}

const contentFiltered: Failure = {
  category: "model_refused",
  title: "The provider's content filter removed the whole answer.",
  remedy: "Change the input or the agent's instructions, or use a model with a different filter.",
  retryable: false,
};

const emptyTwice: Failure = {
  category: "model_answer",
  title: "The model answered twice with neither text nor a tool call.",
  remedy: "Use another model, or increase the model server's maximum output tokens.",
  retryable: false,
};

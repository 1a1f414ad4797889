import type { Failure } from "../model.ts";
import { offeredDefinitions } from "../tools/tool.ts";
import { callModel, type ModelCallOutcome } from "./call-model.ts";
import { retryOrFail } from "./request-answer.ts";
import { defaultContextTokens } from "./context-window.ts";
import {
  type AnswerEntry,
  foldEntry,
  type JournalEntry,
  startProgress,
  type TurnProgress,
  usageOfEntry,
} from "./journal.ts";
import { namesResults } from "./left-out-results.ts";
import { addUsage, noUsage, type Usage } from "./limits.ts";
import { isFinalAnswer } from "./recorded-request.ts";
import { withoutRefused } from "./refused-tools.ts";
import { ResultWrites } from "./result-writes.ts";
import { withBoundedFailures } from "./run-turn.ts";
import type { TurnInput, TurnOutcome, TurnPorts, TurnState } from "./types.ts";

/** A recorded turn whose steps another configuration answers. */
export interface RecordedSteps {
  /** The journal of the recorded turn. */
  entries: JournalEntry[];
  /** What all answers together may use: no step begins beyond it. */
  budget: { dollars?: number; tokens?: number };
}

/**
 * Asks the model once for each answer of a recorded turn, after the conversation that the recorded answer had. Nothing is executed: the
 * conversation continues with the recorded answer and results.
 * - Resumes after the last answer in the journal. Steps have the numbers of the recorded ones.
 * - Notes of the turn and truncations of results are the recorded ones. A recorded summary is not asked for again.
 * - Limits of the turn do not apply, except that of seconds, to each call. The fallback is not asked.
 * - Rejects only with errors of `record`.
 */
export async function answerNextSteps(
  input: TurnInput,
  unbounded: TurnPorts,
  { entries, budget }: RecordedSteps,
): Promise<TurnOutcome> {
  const { history, journal, turn } = input;
  const ports = withBoundedFailures(unbounded, journal);
  const begun = { failures: 0, ofFallback: 0, used: noUsage };
  const answered = new Set(journal.flatMap((entry) => (entry.part === "answer" ? entry.step : [])));
  let used = journal.reduce((sum, entry) => addUsage(sum, usageOfEntry(entry) ?? noUsage), noUsage);
  let progress = startProgress(history, turn);
  const lastStep = entries.findLast(({ part }) => part === "answer")?.step;
  try {
    for (const entry of entries) {
      if (entry.part === "answer" && !answered.has(entry.step)) {
        ports.signal.throwIfAborted();
        if (isReached(budget, addUsage(used, begun.used))) return { kind: "failed", failure: budgetReached };
        if (ports.now() >= input.deadline) return { kind: "paused" };
        const outcome = await answerStep({ input, ports, begun }, progress, entry);
        if (outcome.kind !== "answered") return endOf(outcome, callMs(input));
        const { entry: last } = outcome;
        if (entry.step === lastStep) return { kind: "done", text: allAnswered, last, finishReason: "completed" };
        if (!(await ports.record(last))) return { kind: "stopped" };
        used = addUsage(used, usageOfEntry(last) ?? noUsage);
      }
      progress = foldEntry(progress, entry);
    }
  } catch (error) {
    if (ports.signal.aborted) return { kind: "stopped" };
    throw error;
  }
  return { kind: "failed", failure: noSteps };
}

async function answerStep(
  given: Pick<TurnState, "input" | "ports" | "begun">,
  recorded: TurnProgress,
  entry: AnswerEntry,
  refusing: string[] = [],
): Promise<ModelCallOutcome> {
  const { input, ports } = given;
  // Another model counts other tokens, and is not down.
  const { counted: _counted, down: _down, ...progress } = recorded;
  const state: TurnState = {
    ...given,
    given,
    isFallback: false,
    contextTokens: input.contextTokens ?? defaultContextTokens,
    progress,
    ...(refusing.length > 0 && { refusing }),
    writes: new ResultWrites(), // of no call
  };
  const resultsLeftOut = namesResults(progress, entry.cut);
  const offered = withoutRefused(offeredDefinitions(ports.tools, { resultsLeftOut }), progress.refused, refusing);
  const tools = isFinalAnswer(entry) ? [] : offered;
  const outcome = await callModel(state, {
    note: entry.note,
    truncation: entry.cut,
    tools,
    timeLeft: callMs(input),
  });
  const refused = outcome.kind === "adapted" && "refusing" in outcome.change ? outcome.change.refusing : undefined;
  return refused ? answerStep(given, recorded, entry, refused) : outcome;
}

function callMs({ limits }: TurnInput): number {
  return limits.seconds * 1_000;
}

function isReached({ dollars = Infinity, tokens = Infinity }: RecordedSteps["budget"], used: Usage): boolean {
  return used.dollars >= dollars || used.inputTokens + used.outputTokens >= tokens;
}

/** How the turn ends after a call without an answer. */
function endOf(outcome: Exclude<ModelCallOutcome, { kind: "answered" }>, maxWaitMs: number): TurnOutcome {
  switch (outcome.kind) {
    case "timed_out":
      return { kind: "failed", failure: tooSlow };
    case "adapted":
      return { kind: "failed", failure: tooLong };
    case "failed":
      return retryOrFail(outcome, maxWaitMs);
    case "stopped":
      return outcome;
  }
}

/** The output of a turn whose answers are all recorded. */
const allAnswered = "Each recorded step was answered once, and nothing was executed.";

const budgetReached: Failure = {
  category: "limit",
  title: "The case reached its share of the trial's budget before its last step.",
  remedy: "Raise the budget of the trial, or try fewer cases.",
  retryable: false,
};

const tooSlow: Failure = {
  category: "limit",
  title: "A step was not answered within the agent's limit of seconds.",
  remedy: "Raise the agent's limit of seconds, or use a faster model.",
  retryable: false,
};

const tooLong: Failure = {
  category: "model_refused",
  title: "The recorded conversation is too long for the candidate's model.",
  remedy: "Use a model with a larger context window, or try the turn anew instead of its steps.",
  retryable: false,
};

const noSteps: Failure = {
  category: "internal",
  title: "The recorded turn has no answer.",
  remedy: "Choose another turn.",
  retryable: false,
};

import type { Failure } from "../agent/model.ts";
import { noUsage } from "../agent/turn/turn-limits.ts";
import { listFilesAfter, listRunFiles } from "../runs/files/read-files.ts";
import type { Stores } from "../runs/ports.ts";
import { turnEvents } from "../runs/read/turn-record.ts";
import type { Run, RunEvent, RunJournalEntry } from "../runs/run-types.ts";
import type { SandboxPerAgent } from "../sandbox/sandbox-types.ts";
import { checkAssertions } from "./assertions.ts";
import { compareTurns, missingCalls } from "./cases/compare.ts";
import { configurationOf, recordedRunDeleted } from "./cases/inspect-turn.ts";
import { endingOfVote } from "./judge.ts";
import { callRecord, callsWithEffects, outsideTools, ruleOf } from "./cases/recorded-calls.ts";
import { ownerOfCases } from "./trial-id.ts";
import { type TurnFacts, turnFacts } from "./cases/turn-facts.ts";
import {
  type Attempt,
  type AttemptName,
  type AttemptOutcome,
  isVote,
  type Trial,
  type TrialBudget,
  type TrialCase,
  type TurnEnding,
} from "./trial-types.ts";

export interface EvaluateDeps
  extends Pick<Stores, "runs" | "workspace" | "configurations">, Pick<SandboxPerAgent, "checkResultOf"> {}

/** What an attempt at a case came to. `run`: that of the attempt, which has ended. A judge that failed has not voted. */
export async function evaluateAttempt(
  deps: EvaluateDeps,
  trial: Trial,
  { source }: Pick<TrialCase, "source">,
  { name, attempt, run }: { name: AttemptName; attempt: Pick<Attempt, "budget">; run: Run },
): Promise<AttemptOutcome> {
  // Nothing here knows what the turn was compared with.
  if (trial.mode) return { ending: { kind: "stopped" }, assertions: [], used: run.used ?? noUsage };
  const events = await turnEvents(deps, run.id, run.turn);
  const facts = turnFacts(events, run.turn);
  const used = { ...facts.used, milliseconds: run.used?.milliseconds ?? facts.used.milliseconds };
  if (isVote(name)) return { ending: endingOfVote(name, run, facts.output), used };
  const recordedEvents = await turnEvents(deps, source.runId, source.turn);
  const recorded = journalIn(recordedEvents);
  const misses = await missesOf(deps, trial, { calls: facts.calls, entries: journalIn(events) }, recorded);
  const outcome = { used, assertions: [], ...(misses.length > 0 && { misses }) };
  const ending = recordedEvents.length === 0 ? failed(sourceDeleted) : endingOf(run, facts, attempt);
  if (ending.kind !== "finished") return { ...outcome, ending };
  const [{ files }, { files: recordedFiles }] = await Promise.all([
    listRunFiles(deps, run.id),
    listFilesAfter(deps, source.runId, source.turn, recordedEvents),
  ]);
  const { output } = turnFacts(recordedEvents, source.turn);
  const owner = { organizationId: trial.organizationId, agentId: trial.id };
  const assertions = await checkAssertions(
    trial.settings.assertions,
    { facts, files },
    {
      checkResult: deps.checkResultOf?.(owner) ?? (async () => ({ unchecked: "this service cannot check results" })),
      readFile: ({ sha256 }) => deps.workspace.read(run.id, sha256),
      signal: AbortSignal.timeout(assertionMilliseconds),
    },
  );
  const comparison = compareTurns({ output, files: recordedFiles }, { output: facts.output, files });
  const configuration = await configurationOf(deps, ownerOfCases(trial), { entries: recorded });
  const effects = typeof configuration === "string" ? [] : callsWithEffects(recorded, configuration);
  const missing = missingCalls(effects, facts.calls);
  return { ...outcome, ending, comparison: { ...comparison, ...(missing.length > 0 && { missing }) }, assertions };
}

/** How the turn of an attempt ended. */
function endingOf({ status, failure }: Run, facts: TurnFacts, { budget }: Pick<Attempt, "budget">): TurnEnding {
  if (status === "terminated") return { kind: "stopped" };
  if (failure?.category === "left_record") {
    const last = facts.calls.find(({ result }) => !result);
    return { kind: "left_record", step: last?.step ?? facts.used.steps + 1, tool: last?.name ?? "" };
  }
  if (status !== "finished" || facts.output === undefined) return failed(failure ?? noOutput);
  const cut = cutByBudget(facts, budget);
  return cut === undefined ? { kind: "finished" } : failed({ category: "limit", title: cut });
}

function failed({ category, title }: Pick<Failure, "category" | "title">): TurnEnding {
  return { kind: "failed", failure: { category, title } };
}

/** For all assertions of an attempt together. */
const assertionMilliseconds = 60_000;

const sourceDeleted = { category: "internal", title: recordedRunDeleted } as const;
const noOutput = { category: "internal", title: "The turn ended without an output." } as const;

/** Why an attempt ended early that its agent's own limits would have let continue, as a sentence. */
function cutByBudget({ finishReason, used }: TurnFacts, budget: TrialBudget): string | undefined {
  const amounts = { dollars: used.dollars, tokens: used.inputTokens + used.outputTokens };
  const isCut = (unit: keyof TrialBudget) => finishReason === unit && amounts[unit] >= (budget[unit] ?? Infinity);
  return isCut("dollars") || isCut("tokens") ? budgetReached : undefined;
}

const budgetReached = "The turn reached its share of the trial's budget, and had to answer early.";

/** Calls that left the service, that the record does not answer, and that did not end the attempt. */
async function missesOf(
  deps: EvaluateDeps,
  { id, settings: { outside } }: Trial,
  { calls, entries }: Pick<TurnFacts, "calls"> & { entries: RunJournalEntry[] },
  recorded: RunJournalEntry[],
): Promise<NonNullable<AttemptOutcome["misses"]>> {
  const configuration = await configurationOf(deps, id, { entries });
  if (typeof configuration === "string") return [];
  const leaving = outsideTools(configuration);
  const record = callRecord(recorded, []);
  return calls.flatMap((call) => {
    const { name, result } = call;
    if (!leaving.has(name) || record.next(call) || !result) return [];
    const rule = ruleOf(outside, name);
    if (rule === "stop") return [];
    return [{ tool: name, rule: typeof rule === "object" ? ("fixed" as const) : rule }];
  });
}

function journalIn(events: RunEvent[]) {
  return events.filter((event) => "part" in event);
}

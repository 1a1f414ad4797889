import { listFilesAfter, listRunFiles } from "../runs/files/read-files.ts";
import type { Stores } from "../runs/ports.ts";
import type { sentRequest } from "../runs/read/sent-request.ts";
import { turnEvents } from "../runs/read/turn-record.ts";
import type { Run, RunEvent, RunJournalEntry } from "../runs/types.ts";
import { noUsage } from "../agent/turn/limits.ts";
import type { SandboxPerAgent } from "../sandbox/types.ts";
import { checkAssertions } from "./assertions.ts";
import { compareTurns } from "./compare.ts";
import { compareSteps, outcomeOfSteps } from "./compare-steps.ts";
import { configurationOf } from "./inspect-turn.ts";
import { callRecord, outsideTools, ruleOf } from "./recorded-calls.ts";
import { type TurnFacts, turnFacts } from "./turn-facts.ts";
import type { Arm, ArmOutcome, StepsOutcome, Trial, TrialBudget, TrialCase } from "./types.ts";

export interface EvaluateDeps
  extends Pick<Stores, "runs" | "workspace" | "configurations">, Pick<SandboxPerAgent, "checkResultOf"> {
  /** Finds the place of a difference in a replayed request. Absent in Sweep, whose bundle would have the SDK of all providers. */
  sentRequest?: typeof sentRequest;
}

/** What an attempt at a case came to. `run`: that of the attempt, which has ended. */
export async function evaluateArm(
  deps: EvaluateDeps,
  trial: Trial,
  { source, budget }: Pick<TrialCase, "source"> & Pick<Arm, "budget">,
  { id: runId, ...run }: Run,
): Promise<ArmOutcome> {
  const [events, recordedEvents] = await Promise.all([
    turnEvents(deps, runId, source.turn),
    turnEvents(deps, source.runId, source.turn),
  ]);
  const facts = turnFacts(events, source.turn);
  const used = { ...facts.used, milliseconds: run.used?.milliseconds ?? facts.used.milliseconds };
  const misses = await missesOf(
    deps,
    trial,
    { calls: facts.calls, entries: journalIn(events) },
    journalIn(recordedEvents),
  );
  const attempt: Omit<ArmOutcome, "ending"> = { used, assertions: [], ...(misses.length > 0 && { misses }) };
  if (recordedEvents.length === 0) return { ...attempt, ending: { kind: "failed", failure: sourceDeleted } };
  if (trial.mode) {
    const entries = { recorded: journalIn(recordedEvents), own: journalIn(events) };
    const steps = await stepsOf(deps, { mode: trial.mode, source, run: { id: runId, ...run } }, entries);
    if (steps) attempt.steps = steps;
    if (trial.mode === "replay") attempt.used = { ...noUsage, steps: used.steps, milliseconds: used.milliseconds };
  }
  if (run.status === "terminated") return { ...attempt, ending: { kind: "stopped" } };
  if (run.failure?.category === "left_record") {
    const last = facts.calls.find(({ result }) => !result);
    return {
      ...attempt,
      ending: { kind: "left_record", step: last?.step ?? facts.used.steps + 1, tool: last?.name ?? "" },
    };
  }
  if (run.status !== "finished" || facts.output === undefined) {
    const { category, title } = run.failure ?? noOutput;
    return { ...attempt, ending: { kind: "failed", failure: { category, title } } };
  }
  const cut = cutByBudget(facts, budget);
  if (cut !== undefined) return { ...attempt, ending: { kind: "failed", failure: { category: "limit", title: cut } } };
  if (trial.mode === "next_step") return { ...attempt, ending: { kind: "finished" } };
  const [{ files }, { files: recorded }] = await Promise.all([
    listRunFiles(deps, runId),
    listFilesAfter(deps, source.runId, source.turn, recordedEvents),
  ]);
  const { output, finishReason } = turnFacts(recordedEvents, source.turn);
  const owner = { organizationId: trial.organizationId, agentId: trial.id };
  const assertions = await checkAssertions(
    trial.settings.assertions,
    { facts, files },
    {
      checkResult: deps.checkResultOf?.(owner) ?? (async () => ({ unchecked: "this service cannot check results" })),
      readFile: ({ sha256 }) => deps.workspace.read(runId, sha256),
      signal: AbortSignal.timeout(assertionMilliseconds),
    },
  );
  const comparison = compareTurns(
    { ...(output !== undefined && { output }), files: recorded },
    { output: facts.output, files },
  );
  const end = trial.mode === "replay" ? otherEnd(attempt.steps, facts, finishReason) : undefined;
  return { ...attempt, ...(end && { steps: end }), ending: { kind: "finished" }, comparison, assertions };
}

/** For all assertions of an attempt together. */
const assertionMilliseconds = 60_000;

const sourceDeleted = { category: "internal", title: "The recorded run was deleted." } as const;
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
): Promise<NonNullable<ArmOutcome["misses"]>> {
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

/** How the steps of an attempt differ from the recorded ones. Undefined: none was compared. */
async function stepsOf(
  deps: EvaluateDeps,
  { mode, source, run }: { mode: NonNullable<Trial["mode"]>; source: TrialCase["source"]; run: Run },
  { recorded, own }: { recorded: RunJournalEntry[]; own: RunJournalEntry[] },
): Promise<StepsOutcome | undefined> {
  if (mode === "next_step") return outcomeOfSteps(compareSteps(recorded, own));
  const origin = await deps.runs.head(source.runId);
  if (!origin) return undefined;
  const { compareRequests } = await import("./replay/compare-requests.ts"); // loads the SDK of the providers
  return compareRequests(deps, source.turn, { run: origin, entries: recorded }, { run, entries: own });
}

/** The steps with the way in which the turn ended, if the recorded one ended in another. Undefined: it did not. */
function otherEnd(
  steps: StepsOutcome | undefined,
  { finishReason = "completed", used }: TurnFacts,
  recorded: TurnFacts["finishReason"] = "completed",
): StepsOutcome | undefined {
  if (!steps || finishReason === recorded) return undefined;
  const reason = `The turn ends with ${finishReason}, and the recorded one with ${recorded}.`;
  const changed = Math.min(steps.changed + 1, steps.compared);
  return { ...steps, changed, first: steps.first ?? { step: used.steps, reason } };
}

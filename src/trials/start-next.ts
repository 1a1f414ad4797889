import { newRunId } from "../runs/run-id.ts";
import type { AttemptUse, BudgetLeft } from "./budget.ts";
import { controlCases } from "./estimate.ts";
import { expectedVote } from "./judge/expected-vote.ts";
import { needsJudge } from "./judge/needs-judge.ts";
import { begin, changed, type DriveDeps, isInProgress, notStarted } from "./settle-case.ts";
import {
  armNames,
  type AttemptName,
  attemptNames,
  type Trial,
  type TrialBudget,
  type TrialCase,
  voteNames,
} from "./types.ts";

/** What starts of attempts at cases go by. `cases`: as stored, also after a change. */
interface Starting {
  deps: DriveDeps;
  trial: Trial;
  cases: TrialCase[];
  left: BudgetLeft;
  /** Attempts that may start. */
  free: number;
}

/** Why no further attempt starts. `budget`: nothing but the budget is missing. `others`: another process moves the trial on. */
type Blocked = "places" | "budget" | "others";

/**
 * Starts attempts as places and budget allow: votes on cases that were tried, and then candidates and controls of a case together.
 * Resolves with whether attempts are left for which nothing but the budget was missing.
 */
export async function startNext(deps: DriveDeps, trial: Trial, cases: TrialCase[], left: BudgetLeft): Promise<boolean> {
  const busy = cases.flatMap((one) => attemptNames.filter((name) => isInProgress(one[name]))).length;
  const starting = { deps, trial, cases, left, free: trial.settings.concurrency - busy };
  return ((await startVotes(starting)) ?? (await startArms(starting))) === "budget";
}

/** The two votes on a case start together, even with a single place: without both, a case has no verdict. */
async function startVotes(starting: Starting): Promise<Blocked | undefined> {
  const { trial, cases } = starting;
  for (const [index, one] of cases.entries()) {
    if (!trial.judge || !needsJudge(trial, one)) continue;
    const blocked = await start(starting, index, voteNames, expectedVote(trial.judge, one));
    if (blocked) return blocked;
  }
  return undefined;
}

async function startArms(starting: Starting): Promise<Blocked | undefined> {
  const { trial, cases } = starting;
  const controlled = new Set(controlCases(cases, trial.settings).map(({ number }) => number));
  for (const [index, found] of cases.entries()) {
    for (const arm of armNames) {
      const one = cases[index] ?? found;
      if (one.cannotBeTried !== undefined || one[arm] || (arm === "control" && !controlled.has(one.number))) continue;
      const blocked = await start(starting, index, [arm], one.source.used);
      if (blocked) return blocked;
    }
  }
  return undefined;
}

/** Claims attempts of one case in one write, and begins them. `expected`: what each is expected to use. */
async function start(
  starting: Starting,
  index: number,
  names: readonly AttemptName[],
  expected: AttemptUse,
): Promise<Blocked | undefined> {
  const { deps, trial, cases, left } = starting;
  const one = cases[index];
  if (!one) return undefined;
  if (starting.free <= 0) return "places";
  const budgets = takeAll(left, Math.max(starting.free, names.length), names.length, expected);
  if (!budgets) return "budget";
  const attempts = names.map((name, at) => ({ name, runId: newRunId(deps.now()), budget: budgets[at] ?? {} }));
  const claims = attempts.map(({ name, runId, budget }) => [name, { runId, budget }] as const);
  cases[index] = await changed(deps, one, Object.fromEntries(claims));
  if (attempts.some(({ name, runId }) => cases[index]?.[name]?.runId !== runId)) return "others";
  // Read after the claim: who stops the trial either sees the claim, or has set the status before.
  if ((await deps.trials.find(trial.id))?.status !== "running") {
    const stopped = claims.map(([name, claim]) => [name, { ...claim, outcome: notStarted }] as const);
    cases[index] = await changed(deps, cases[index], Object.fromEntries(stopped));
    return "others";
  }
  for (const { name, budget } of attempts) {
    cases[index] = await begin(deps, trial, cases[index], name);
    if (isInProgress(cases[index][name])) starting.free--;
    else left.giveBack(budget);
  }
  return undefined;
}

/** Limits for each of some attempts. Undefined: the budget does not have all of them. */
function takeAll(left: BudgetLeft, places: number, count: number, expected: AttemptUse): TrialBudget[] | undefined {
  const taken: TrialBudget[] = [];
  while (taken.length < count) {
    const budget = left.take(places - taken.length, expected);
    if (!budget) {
      for (const each of taken) left.giveBack(each);
      return undefined;
    }
    taken.push(budget);
  }
  return taken;
}

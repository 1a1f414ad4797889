import { noUsage } from "../agent/turn/turn-limits.ts";
import { settleAll } from "../async/settle-all.ts";
import { newRunId } from "../runs/begin/run-id.ts";
import type { AttemptUse, BudgetLeft } from "./budget.ts";
import { controlCases } from "./estimate.ts";
import { expectedVote, needsJudge } from "./judge.ts";
import { startAttempt, type StartDeps } from "./start-attempt.ts";
import {
  type AttemptName,
  type Attempt,
  attemptsOf,
  isVote,
  type Trial,
  type TrialBudget,
  type TrialCase,
  triedNames,
  voteNames,
} from "./trial-types.ts";

/** An attempt at a case, or a vote on it, that is to start. */
interface Start {
  name: AttemptName;
  runId: string;
  budget: TrialBudget;
}

/** By the index of the case. */
type Starts = Map<number, Start[]>;

/** What starts together. `isOutOfBudget`: attempts are left for which only the budget was missing. */
interface Plan {
  starts: Starts;
  isOutOfBudget: boolean;
}

/**
 * How starts ended. `missing`: why attempts are left that could not start: nothing but the budget was missing, or another process
 * has changed the trial or a case since they were read. `revision`: that of the stored trial.
 */
interface Started {
  missing?: "budget" | "claim";
  revision: number;
}

/**
 * Starts attempts as places and budget allow: votes on cases that were tried, and then candidates and controls of a case together.
 * All that can start at the same time does, so that stores write it together. `cases` get what is stored.
 */
export async function startNext(deps: StartDeps, trial: Trial, cases: TrialCase[], left: BudgetLeft): Promise<Started> {
  for (let { revision } = trial; ; revision++) {
    const { starts, isOutOfBudget } = planStarts(deps, trial, cases, left);
    const ended: Started = { revision, ...(isOutOfBudget && { missing: "budget" }) };
    if (starts.size === 0) return ended;
    if (!(await claimAll(deps, { ...trial, revision: revision + 1 }, cases, starts))) {
      return { revision, missing: "claim" };
    }
    await beginAll(deps, trial, cases, starts);
    const places = [...starts].flatMap(([index, group]) => group.map((each) => ({ index, ...each })));
    const unused = places.filter(({ index, name }) => !isInProgress(cases[index]?.[name]));
    for (const { budget } of unused) left.giveBack(budget);
    if (unused.length === 0) return { ...ended, revision: revision + 1 };
  }
}

/** Takes the limits of what it plans out of the budget. */
function planStarts({ now }: StartDeps, trial: Trial, cases: TrialCase[], left: BudgetLeft): Plan {
  const starts: Starts = new Map();
  const busy = cases.flatMap(attemptsOf).filter(isInProgress).length;
  let free = trial.settings.concurrency - busy;
  for (const { index, names, expected } of waiting(trial, cases)) {
    if (free <= 0) return { starts, isOutOfBudget: false };
    const budgets = takeAll(left, Math.max(free, names.length), names.length, expected);
    if (!budgets) return { starts, isOutOfBudget: true };
    const group = names.map((name, at) => ({ name, runId: newRunId(now()), budget: budgets[at] ?? {} }));
    starts.set(index, [...(starts.get(index) ?? []), ...group]);
    free -= names.length;
  }
  return { starts, isOutOfBudget: false };
}

/** Attempts that wait for a place, in their order. `expected`: what each of them is expected to use. */
interface Waiting {
  index: number;
  /** They start together, even with a single place. */
  names: readonly AttemptName[];
  expected: AttemptUse;
}

function* waiting(trial: Trial, cases: TrialCase[]): Generator<Waiting> {
  const { judge } = trial;
  for (const [index, one] of cases.entries()) {
    // Without both votes, a case has no verdict.
    if (judge && needsJudge(trial, one)) yield { index, names: voteNames, expected: expectedVote(judge, one) };
  }
  const controlled = new Set(controlCases(cases, trial.settings).map(({ number }) => number));
  for (const [index, one] of cases.entries()) {
    for (const name of triedNames) {
      if (one.cannotBeTried !== undefined || one[name] || (name === "control" && !controlled.has(one.number))) continue;
      yield { index, names: [name], expected: one.source.used };
    }
  }
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

/**
 * Claims all that is planned, in one write that raises the revision of the trial: so of several processes with shares of the same
 * budget, one claims, and none does after the trial was stopped. False: nothing was written.
 */
async function claimAll({ trials }: StartDeps, trial: Trial, cases: TrialCase[], starts: Starts): Promise<boolean> {
  const claimed = [...starts].flatMap(([index, group]) => {
    const one = cases[index];
    if (!one) return [];
    const claims = group.map(({ name, runId, budget }) => [name, { runId, budget }] as const);
    return [{ index, next: { ...one, ...Object.fromEntries(claims), revision: one.revision + 1 } }];
  });
  const nexts = claimed.map(({ next }) => next);
  const stored = await trials.claim(trial, nexts);
  if (stored) for (const { index, next } of claimed) cases[index] = next;
  return stored;
}

/** Begins what is claimed. If the trial is stopped meanwhile, `openCase` refuses what the stop did not see. */
async function beginAll(deps: StartDeps, trial: Trial, cases: TrialCase[], starts: Starts): Promise<void> {
  await settleAll(
    [...starts].map(async ([index, group]) => {
      for (const { name } of group) {
        const one = cases[index];
        if (one) cases[index] = await begin(deps, trial, one, name);
      }
    }),
  );
}

/**
 * Creates and starts the run of an attempt that is stored. A case that cannot be tried loses its attempts. A vote for which the
 * judge cannot be asked ends without one.
 */
export async function begin(deps: StartDeps, trial: Trial, one: TrialCase, name: AttemptName): Promise<TrialCase> {
  const attempt = one[name];
  const reason = attempt && (await startAttempt(deps, trial, one, name));
  if (reason === undefined) return one;
  if (isVote(name)) {
    const outcome = { ending: { kind: "no_vote", reason }, used: noUsage } as const;
    return changed(deps, one, { [name]: { ...attempt, outcome } });
  }
  const { [name]: _, ...others } = one;
  return changed(deps, others, { cannotBeTried: reason });
}

/** Stores a changed case. Resolves with it, or with what another process has stored instead. */
export async function changed(
  { trials }: Pick<StartDeps, "trials">,
  before: TrialCase,
  change: Partial<TrialCase>,
): Promise<TrialCase> {
  const next = { ...before, ...change, revision: before.revision + 1 };
  if (await trials.replaceCase(next)) return next;
  return (await trials.findCase(before.trialId, before.number)) ?? before;
}

export function isInProgress(attempt: Attempt | undefined): boolean {
  return attempt !== undefined && !attempt.outcome;
}

import { settleAll } from "../async/settle-all.ts";
import { newRunId } from "../runs/run-id.ts";
import type { AttemptUse, BudgetLeft } from "./budget.ts";
import { controlCases } from "./estimate.ts";
import { expectedVote } from "./judge/expected-vote.ts";
import { needsJudge } from "./judge/needs-judge.ts";
import { begin, changed, type DriveDeps, isInProgress, notStarted } from "./settle-case.ts";
import {
  armNames,
  type ArmOutcome,
  type AttemptName,
  attemptNames,
  type Trial,
  type TrialBudget,
  type TrialCase,
  voteNames,
} from "./types.ts";

/** An attempt at a case, or a vote on it, that is to start. */
interface Start {
  name: AttemptName;
  runId: string;
  budget: TrialBudget;
}

/** What starts together. `starts`: by the index of the case. `isOutOfBudget`: attempts are left for which only the budget was missing. */
interface Plan {
  starts: Map<number, Start[]>;
  isOutOfBudget: boolean;
}

/**
 * Starts attempts as places and budget allow: votes on cases that were tried, and then candidates and controls of a case together.
 * All that can start at the same time does, so that stores write it together. `cases` get what is stored. Resolves with whether
 * attempts are left for which nothing but the budget was missing.
 */
export async function startNext(deps: DriveDeps, trial: Trial, cases: TrialCase[], left: BudgetLeft): Promise<boolean> {
  for (;;) {
    const { starts, isOutOfBudget } = planStarts(deps, trial, cases, left);
    if (starts.size === 0) return isOutOfBudget;
    if (!(await startAll(deps, trial, cases, starts))) return false;
    const places = [...starts].flatMap(([index, group]) => group.map((each) => ({ index, ...each })));
    const unused = places.filter(({ index, name }) => !isInProgress(cases[index]?.[name]));
    for (const { budget } of unused) left.giveBack(budget);
    if (unused.length === 0) return isOutOfBudget;
  }
}

/** Takes the limits of what it plans out of the budget. */
function planStarts({ now }: DriveDeps, trial: Trial, cases: TrialCase[], left: BudgetLeft): Plan {
  const starts = new Map<number, Start[]>();
  const busy = cases.flatMap((one) => attemptNames.filter((name) => isInProgress(one[name]))).length;
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
    for (const arm of armNames) {
      if (one.cannotBeTried !== undefined || one[arm] || (arm === "control" && !controlled.has(one.number))) continue;
      yield { index, names: [arm], expected: one.source.used };
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

/** Claims what is planned, in one write for each case, and begins it. False: another process moves the trial on, or stops it. */
async function startAll(
  deps: DriveDeps,
  trial: Trial,
  cases: TrialCase[],
  starts: Map<number, Start[]>,
): Promise<boolean> {
  const update = async (index: number, change: (one: TrialCase) => Promise<TrialCase>): Promise<void> => {
    const one = cases[index];
    if (one) cases[index] = await change(one);
  };
  const all = [...starts];
  await settleAll(all.map(([index, group]) => update(index, (one) => changed(deps, one, claims(group)))));
  const ours = all.filter(([index, group]) => group.every(({ name, runId }) => cases[index]?.[name]?.runId === runId));
  // Read after the claims: who stops the trial either sees them, or has set the status before.
  const isRunning = (await deps.trials.find(trial.id))?.status === "running";
  await settleAll(
    ours.map(async ([index, group]) => {
      if (!isRunning) return update(index, (one) => changed(deps, one, claims(group, { outcome: notStarted })));
      for (const { name } of group) await update(index, (one) => begin(deps, trial, one, name));
    }),
  );
  return isRunning && ours.length === all.length;
}

function claims(group: Start[], more: { outcome?: ArmOutcome } = {}): Partial<TrialCase> {
  return Object.fromEntries(group.map(({ name, runId, budget }) => [name, { runId, budget, ...more }]));
}

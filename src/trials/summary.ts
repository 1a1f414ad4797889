import type { Usage } from "../agent/turn/turn-limits.ts";
import { type Spent, spentBy, usageOfTurns, usageOfVotes } from "./budget.ts";
import { isSameOutcome } from "./cases/compare.ts";
import { type Verdict, verdicts } from "./names.ts";
import type { TriedName, AttemptOutcome, Trial, TrialCase, TurnEnding } from "./trial-types.ts";
import { verdictOf } from "./verdict.ts";

/** What the cases of a trial say so far. All numbers of cases are counts. */
export interface TrialSummary {
  /** Cases by verdict. */
  verdicts: Record<Verdict, number>;
  /** Cases with a verdict, without those that cannot be tried. */
  tried: number;
  /** Cases without a verdict: not tried yet, in progress or stopped. */
  open: number;
  /** Cases whose turn left out calls with effects outside of the service. */
  missing: number;
  preference: Preference;
  /** Absent: no case was tried with the current configuration to its end. */
  control?: ControlSummary;
  /** Of the ended attempts and votes. `judge`: absent if the trial has none. */
  spent: Record<TriedName, Spent> & { judge?: Spent };
  /** Absent: there is no case that both the recorded and the tried turn finished. */
  medians?: Medians;
}

/** Cases that are better or worse than the record. */
export interface Preference {
  better: number;
  worse: number;
  /** Probability of a split at least this uneven if both are equally likely (two-sided sign test). Absent: too few cases. */
  p?: number;
  /** A sentence. */
  conclusion: string;
}

/** Cases that were tried with the current configuration. */
export interface ControlSummary {
  cases: number;
  /** Of them, those that did not end as recorded. */
  differ: number;
  /** Of those, the ones that left the record. */
  leftRecord: number;
  /** Why the trial cannot judge the change, as a sentence. Absent: it can. */
  cannotJudge?: string;
}

/** Medians of the recorded turns and of the same turns as tried. */
export interface Medians {
  cases: number;
  steps: Saving;
  /** US dollars. Absent: for no case, both costs are known. `cases`: those for which they are. */
  dollars?: Saving & { cases: number };
  /** There is no saving to state: recorded answers take no time. */
  seconds: Pair;
}

interface Pair {
  recorded: number;
  tried: number;
}

/** `saving`: recorded less tried. Negative: the tried turns used more. */
interface Saving extends Pair {
  saving: number;
}

export function summarize(trial: Pick<Trial, TriedName | "judge" | "mode">, cases: TrialCase[]): TrialSummary {
  const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  let open = 0;
  for (const each of cases) {
    const verdict = verdictOf(each);
    if (verdict) counts[verdict]++;
    else open++;
  }
  const control = controlOf(cases);
  const medians = trial.mode ? undefined : mediansOf(trial, cases);
  return {
    verdicts: counts,
    tried: cases.length - open - counts.cannot_be_tried,
    open,
    missing: cases.filter(({ candidate }) => candidate?.outcome?.comparison?.missing).length,
    preference: preferenceOf(counts.better, counts.worse),
    ...(control && { control }),
    spent: {
      candidate: spentBy(usageOfTurns(cases, "candidate"), trial.candidate),
      control: spentBy(usageOfTurns(cases, "control"), trial.control),
      ...(trial.judge && { judge: spentBy(usageOfVotes(cases), trial.judge) }),
    },
    ...(medians && { medians }),
  };
}

/** Better and worse cases that a sign test needs: with five, even 5 to 0 has a probability of 0.0625. */
const minDecided = 6;

function preferenceOf(better: number, worse: number): Preference {
  const decided = better + worse;
  const counted = `${better} better, ${worse} worse`;
  if (decided < minDecided) {
    const conclusion = `${counted}: too few to say. At least ${minDecided} cases must be better or worse.`;
    return { better, worse, conclusion };
  }
  const p = signTest(better, worse);
  const probability = p < 0.001 ? "less than 0.001" : p.toFixed(3);
  const conclusion = `${counted}: if both were equally likely, the probability of a split at least this uneven would be ${probability}.`;
  return { better, worse, p, conclusion };
}

/** Two-sided, from the binomial distribution with n = better + worse and probability 1/2. */
function signTest(better: number, worse: number): number {
  const n = better + worse;
  let probability = 0.5 ** n;
  let tail = probability;
  for (let k = 1; k <= Math.min(better, worse); k++) {
    probability *= (n - k + 1) / k;
    tail += probability;
  }
  return Math.min(1, 2 * tail);
}

/** Assertions do not count: a recorded turn can break them, too. */
function controlOf(cases: TrialCase[]): ControlSummary | undefined {
  const outcomes = cases
    .map(({ control }) => control?.outcome)
    .filter(
      (outcome): outcome is AttemptOutcome<TurnEnding> => outcome !== undefined && outcome.ending.kind !== "stopped",
    );
  if (outcomes.length === 0) return undefined;
  const differ = outcomes.filter((outcome) => !isSameOutcome(outcome)).length;
  const leftRecord = outcomes.filter(({ ending }) => ending.kind === "left_record").length;
  const summary = { cases: outcomes.length, differ, leftRecord };
  if (differ * 2 <= outcomes.length) return summary;
  const left = leftRecord === 0 ? "" : ` ${leftRecord} of these left the record.`;
  const cannotJudge = `The runs of this agent cannot be repeated well enough to judge the change. With the current configuration, ${differ} of ${outcomes.length} cases differ from the record.${left}`;
  return { ...summary, cannotJudge };
}

function mediansOf({ candidate }: Pick<Trial, "candidate">, cases: TrialCase[]): Medians | undefined {
  const pairs = cases.flatMap((one): { recorded: Usage; tried: Usage }[] => {
    const { outcome } = one.candidate ?? {};
    return outcome?.ending.kind === "finished" ? [{ recorded: one.source.used, tried: outcome.used }] : [];
  });
  if (pairs.length === 0) return undefined;
  const pairOf = (of: (used: Usage) => number, among = pairs): Pair => {
    const recorded = median(among.map((pair) => of(pair.recorded)));
    const tried = median(among.map((pair) => of(pair.tried)));
    return { recorded, tried };
  };
  // A recorded turn without a cost had no prices.
  const priced = candidate.definition.prices ? pairs.filter(({ recorded }) => recorded.dollars > 0) : [];
  return {
    cases: pairs.length,
    steps: withSaving(pairOf(({ steps }) => steps)),
    ...(priced.length > 0 && {
      dollars: { cases: priced.length, ...withSaving(pairOf(({ dollars }) => dollars, priced)) },
    }),
    seconds: pairOf(({ milliseconds }) => milliseconds / 1_000),
  };
}

function withSaving(pair: Pair): Saving {
  return { ...pair, saving: pair.recorded - pair.tried };
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

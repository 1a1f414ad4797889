import type { Spent } from "./budget.ts";
import type { Verdict } from "./names.ts";
import type { TrialSummary } from "./summary.ts";
import type { Trial } from "./trial-types.ts";

/** Verdicts in words, in the order of the line. */
export const verdictWords: Record<Verdict, string> = {
  same: "same",
  equal: "equal",
  better: "better",
  worse: "worse",
  unclear: "unclear",
  different: "different",
  assertion_broken: "broke an assertion",
  failed: "failed",
  left_record: "left the record",
  cannot_be_tried: "cannot be tried",
};

/**
 * A trial in one line, for example `47 tried · 31 same · 9 better · 2 worse · 5 left the record · current against itself: 3 of 10
 * differ · $1.94 of $2.00`. Counts of 0 are left out.
 */
export function describeTrial({ settings }: Pick<Trial, "settings">, summary: TrialSummary): string {
  const { verdicts, tried, open, missing, control, spent } = summary;
  const counted = (Object.entries(verdictWords) as [Verdict, string][]).map(([verdict, word]) =>
    countOf(verdicts[verdict], word),
  );
  return [
    `${tried} tried`,
    ...counted,
    countOf(missing, "left out calls"),
    countOf(open, "without a verdict"),
    control && `current against itself: ${control.differ} of ${control.cases} differ`,
    ...costs(settings.budget, spent),
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
}

function countOf(count: number, word: string): string | undefined {
  return count > 0 ? `${count} ${word}` : undefined;
}

/** What all attempts have used, of the budget. Without one in dollars, their cost is shown if it is known. */
function costs({ dollars, tokens }: Trial["settings"]["budget"], spent: TrialSummary["spent"]): string[] {
  const all = [spent.candidate, spent.control, ...(spent.judge ? [spent.judge] : [])];
  const used = all.reduce((sum, each) => sum + each.tokens, 0);
  const cost = costOf(all);
  const known = cost !== undefined && (dollars !== undefined || cost > 0);
  return [
    ...(known ? [inDollars(cost) + (dollars === undefined ? "" : ` of ${inDollars(dollars)}`)] : []),
    ...(tokens !== undefined || !known ? [`${counter.format(used)}${of(tokens)} tokens`] : []),
  ];
}

/** Undefined: a configuration that was tried has no prices. */
function costOf([candidate, ...others]: Spent[]): number | undefined {
  if (candidate?.dollars === undefined) return undefined;
  if (others.some(({ dollars, tokens }) => dollars === undefined && tokens > 0)) return undefined;
  return others.reduce((sum, { dollars = 0 }) => sum + dollars, candidate.dollars);
}

const counter = new Intl.NumberFormat("en-US");

function of(tokens: number | undefined): string {
  return tokens === undefined ? "" : ` of ${counter.format(tokens)}`;
}

/** Cents, or four decimals below ten cents. */
export function inDollars(value: number): string {
  return `$${value.toFixed(value > 0 && value < 0.1 ? 4 : 2)}`;
}

import type { AgentDefinition } from "../accounts/account-types.ts";
import { type Prices, type Usage, usageOf } from "../agent/turn/turn-limits.ts";
import { type Spent, spentBy, tokensOf, usageOfTurns, usageOfVotes } from "./budget.ts";
import { expectedVote } from "./judge.ts";
import type { TrialTier } from "./names.ts";
import {
  type TriedName,
  type Range,
  type Trial,
  type TrialBudget,
  type TrialCase,
  type TrialEstimate,
  type TrialJudge,
  voteNames,
} from "./trial-types.ts";

/** A tried turn is expected to use between these parts of what the recorded one has used. */
const [lowPart, highPart] = [0.7, 2];

type EstimatedTrial = Pick<Trial, TriedName | "judge"> & { settings: Pick<Trial["settings"], "control"> };

/** What a trial is expected to use, from what its recorded turns have used. Nothing is called. `cases`: all cases of the trial. */
export function estimateUse(
  { candidate, control, judge, settings }: EstimatedTrial,
  cases: TrialCase[],
): Omit<TrialEstimate, "sends"> {
  const tried = cases.filter(canBeTried);
  const known = tried.filter(({ source }) => tokensOf(source.used) > 0);
  const estimated = known.filter(({ source }) => source.used.estimatedTokens > 0).length;
  const unknown = tried.length - known.length;
  const controlled = controlCases(cases, settings).filter((each) => known.includes(each));
  const expected = [
    ...known.map(({ source }) => expectedUse(source.used, candidate.definition)),
    ...controlled.map(({ source }) => expectedUse(source.used, control.definition)),
    ...(judge ? known.map((one) => expectedVotes(judge, one)) : []),
  ];
  const dollars = expected.map((each) => each.dollars).filter((range) => range !== undefined);
  return {
    cases: tried.length,
    ...(expected.length > 0 && { tokens: total(expected.map(({ tokens }) => tokens)) }),
    ...(expected.length > 0 && dollars.length === expected.length && { dollars: total(dollars) }),
    ...(estimated > 0 && { estimatedCases: estimated }),
    ...(unknown > 0 && { unknownCases: unknown }),
    ...(judge && tried.length > 0 && { judgedCases: tried.length }),
  };
}

/** The cases that are tried with the current configuration, too: the first ones that can be tried. */
export function controlCases(cases: TrialCase[], { control }: Pick<Trial["settings"], "control">): TrialCase[] {
  return cases.filter(canBeTried).slice(0, control);
}

function canBeTried({ cannotBeTried }: TrialCase): boolean {
  return cannotBeTried === undefined;
}

interface ExpectedUse {
  tokens: Range;
  dollars?: Range;
}

/** Of the judge for a case: nothing if the outputs are equal, two votes if they differ. */
function expectedVotes(judge: TrialJudge, one: TrialCase): ExpectedUse {
  const { tokens, dollars } = expectedUse(expectedVote(judge, one), judge.definition);
  return { tokens: upToTwice(tokens), ...(dollars && { dollars: upToTwice(dollars) }) };
}

function upToTwice({ high }: Range): Range {
  return { low: 0, high: voteNames.length * high };
}

function expectedUse(used: Usage, { limits, prices }: Pick<AgentDefinition, "limits" | "prices">): ExpectedUse {
  const { inputTokens = Infinity, outputTokens = Infinity, tokens: all, dollars } = limits;
  const input = Math.min(used.inputTokens * highPart, inputTokens);
  const output = Math.min(used.outputTokens * highPart, outputTokens);
  const part = Math.min(1, all / (input + output));
  const most = { inputTokens: Math.round(input * part), outputTokens: Math.round(output * part) };
  const tokens = rangeTo(tokensOf(most), Math.round(tokensOf(used) * lowPart));
  return { tokens, ...(prices && { dollars: expectedCost(used, most, prices, dollars) }) };
}

/** The low end has the recorded share of cached tokens. The high end has none that were read from the cache: caches differ. */
function expectedCost(
  { inputTokens, outputTokens, cachedInputTokens, cacheWriteInputTokens }: Usage,
  most: Pick<Usage, "inputTokens" | "outputTokens">,
  prices: Prices,
  limit = Infinity,
): Range {
  const read = { inputTokens, outputTokens, cachedInputTokens, cacheWriteInputTokens };
  const least = usageOf(read, prices).dollars * lowPart;
  const written = { cacheWriteInputTokens: Math.min(cacheWriteInputTokens * highPart, most.inputTokens) };
  const high = Math.min(usageOf({ ...most, ...written }, prices).dollars, limit);
  return rangeTo(high, least);
}

function rangeTo(high: number, low: number): Range {
  return { low: Math.min(low, high), high };
}

function total(ranges: Range[]): Range {
  const sum = (end: keyof Range): number => ranges.reduce((before, range) => before + range[end], 0);
  return { low: sum("low"), high: sum("high") };
}

/** What an estimate does not say, as sentences. */
export function estimateNotes({
  cases,
  dollars,
  tokens,
  estimatedCases = 0,
  unknownCases = 0,
  judgedCases = 0,
  tier,
}: Omit<TrialEstimate, "sends"> & Pick<Trial["settings"], "tier">): string[] {
  return [
    ...(tier ? [tierNote(tier, dollars !== undefined)] : []),
    ...(unknownCases > 0
      ? [
          `${unknownCases} of ${cases} cases are not in the estimate, because the usage of the recorded turn is unknown.`,
        ]
      : []),
    ...(estimatedCases > 0
      ? [
          `The recorded usage of ${estimatedCases} of ${cases} cases is itself an estimate, because the provider did not report all tokens.`,
        ]
      : []),
    ...(judgedCases > 0
      ? [
          `The judge is asked twice about each case whose output differs: the low end has none of ${judgedCases} cases, the high end all.`,
        ]
      : []),
    ...(tokens && !dollars ? ["The cost is unknown, because a configuration of the trial has no prices."] : []),
  ];
}

function tierNote(tier: TrialTier, hasDollars: boolean): string {
  const asked = `Models are asked with the service tier ${tier}: answers can take longer, and overloads are more frequent.`;
  return hasDollars
    ? `${asked} Its prices are not known here: dollars are computed with the prices of the agent files.`
    : asked;
}

/** Cases that must have ended before their average replaces the estimate. */
const minMeasured = 5;

/**
 * What the rest of a trial will use, if its cases use what the ended ones have used on average. Undefined: fewer than five cases
 * have ended, or controls are to come and none has ended.
 */
export function measuredEstimate(
  { candidate, control, judge, settings }: EstimatedTrial,
  cases: TrialCase[],
): (Spent & { cases: number }) | undefined {
  const tried = cases.filter(canBeTried);
  const measured = usageOfTurns(tried, "candidate", { whole: true });
  const measuredControl = usageOfTurns(tried, "control", { whole: true });
  const rest = tried.filter((each) => !each.candidate?.outcome).length;
  const restOfControl = controlCases(cases, settings).filter((each) => !each.control?.outcome).length;
  if (measured.length < minMeasured || (restOfControl > 0 && measuredControl.length === 0)) return undefined;
  const parts = [averageTimes(spentBy(measured, candidate), rest / measured.length)];
  if (restOfControl > 0) {
    parts.push(averageTimes(spentBy(measuredControl, control), restOfControl / measuredControl.length));
  }
  if (judge) parts.push(averageTimes(spentBy(usageOfVotes(tried), judge), rest / measured.length));
  const dollars = parts.map((part) => part.dollars).filter((part) => part !== undefined);
  return {
    cases: rest,
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
    ...(dollars.length === parts.length && { dollars: dollars.reduce((sum, part) => sum + part, 0) }),
  };
}

function averageTimes({ tokens, dollars }: Spent, factor: number): Spent {
  return { tokens: Math.round(tokens * factor), ...(dollars !== undefined && { dollars: dollars * factor }) };
}

/** Why a trial cannot have this budget, as a sentence. Undefined: it can. */
export function refusalOfBudget(
  budget: TrialBudget,
  { candidate, control, judge, settings }: EstimatedTrial,
): string | undefined {
  const { dollars, tokens } = budget;
  if (dollars === undefined && tokens === undefined) {
    return "budget: expected dollars or tokens, received neither. Set what the trial may use at most.";
  }
  if (dollars === undefined) return undefined;
  const unpriced = !candidate.definition.prices
    ? "the candidate"
    : settings.control > 0 && !control.definition.prices
      ? "the current configuration, which is tried as well,"
      : judge && !judge.definition.prices
        ? "the judge"
        : undefined;
  return (
    unpriced &&
    `budget.dollars: ${unpriced} has no prices, so its cost is unknown. Set prices in the agent, or budget.tokens instead.`
  );
}

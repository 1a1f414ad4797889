import { formatDollars, formatNumber } from "../format.ts";
import type { Trial, TrialHead } from "./trial-calls.ts";

/** Dollars of a turn or a trial. Null: unknown. */
export function dollarsText(value: number | null | undefined): string {
  if (value == null) return "not known";
  return formatDollars(value, value > 0 && value < 0.1 ? 4 : 2);
}

type Tried = Trial["candidate"];

/** "draft", "version 12". */
export function triedText({ version }: Tried): string {
  return version === null ? "draft" : `version ${version}`;
}

/** "Trial of a draft against version 12". */
export function trialTitle({ mode, candidate, control }: Pick<TrialHead, "mode" | "candidate" | "control">): string {
  if (mode === "replay") return "Replay of recorded turns";
  const tried = candidate.version === null ? "a draft" : triedText(candidate);
  const current = control.version === null ? "the current configuration" : triedText(control);
  return `${mode === "next_step" ? "Next steps" : "Trial"} of ${tried} against ${current}`;
}

export const statusWords: Record<Trial["status"], string> = {
  estimated: "Not started",
  running: "Running",
  stopping: "Stopping",
  finished: "Finished",
};

/** Why a trial ended early. Empty: it did not. */
export function endedText({ ended_by }: Pick<TrialHead, "ended_by">): string {
  return { budget: "The budget is used up.", operator: "An operator stopped it.", none: "" }[ended_by ?? "none"];
}

/** The budget: "$2.00", "500,000 tokens". */
export function budgetText({ dollars, tokens }: Trial["budget"]): string {
  const parts = [
    ...(dollars === null ? [] : [dollarsText(dollars)]),
    ...(tokens === null ? [] : [`${formatNumber(tokens)} tokens`]),
  ];
  return parts.join(" and ");
}

/** The expected cost: "~$1.12 to $3.04", or tokens if the cost is unknown. */
export function priceText({ dollars, tokens }: Trial["estimate"]): string {
  if (dollars) return `~${dollarsText(dollars.low)} to ${dollarsText(dollars.high)}`;
  if (tokens) return `~${formatNumber(tokens.low)} to ${formatNumber(tokens.high)} tokens`;
  return "not known";
}

/** Whether the budget can end the trial before all of its cases are tried. */
export function mayRunOut({ estimate, budget }: Pick<Trial, "estimate" | "budget">): boolean {
  return isOver(budget.dollars, estimate.dollars) || isOver(budget.tokens, estimate.tokens);
}

function isOver(limit: number | null, range: { high: number } | null): boolean {
  return limit !== null && range !== null && range.high > limit;
}

/** What the attempts and the judge have used: "$1.94", or tokens if a cost is unknown. */
export function spentText({ candidate, control, judge }: Trial["summary"]["spent"]): string {
  const all = [candidate, control, ...(judge ? [judge] : [])];
  const isKnown = candidate.dollars !== null && all.every(({ dollars, tokens }) => dollars !== null || tokens === 0);
  if (isKnown) return dollarsText(all.reduce((sum, { dollars }) => sum + (dollars ?? 0), 0));
  return `${formatNumber(all.reduce((sum, { tokens }) => sum + tokens, 0))} tokens`;
}

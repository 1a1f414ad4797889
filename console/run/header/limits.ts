import { formatDollars, formatDuration, formatNumber } from "../../format.ts";
import type { RunDetail } from "../api.ts";

/** One gauge: a value of the turn or the run against its limit. */
export interface GaugeValue {
  label: string;
  value: number;
  limit: number | undefined;
  /** Whether the value is an estimate. */
  about: boolean;
  format(value: number): string;
}

/** Seconds as in "15 m", "19 s". */
function seconds(value: number): string {
  if (value < 60) return `${Math.round(value)} s`;
  const rounded = Math.round(value);
  return rounded % 60 === 0 && rounded < 3_600 ? `${rounded / 60} m` : formatDuration(rounded * 1_000);
}

/**
 * Time, steps, tokens and cost. Each shows the limit that is nearer: that of the turn with the turn's value, or that of the
 * run with the run's. Cost is the run's unless only the turn has a limit. `turnMs`: time of the current turn so far.
 */
export function gaugesOf(detail: RunDetail, turnMs: number, priced: boolean): GaugeValue[] {
  const { usage: run, turn_usage: turn, limits } = detail;
  const ofTurn: Partial<Record<string, number | null>> = limits.turn ?? {};
  const ofRun: Partial<Record<string, number | null>> = limits.run ?? {};
  const nearer = (
    what: string,
    name: string,
    values: { turn: number; run: number },
    format: GaugeValue["format"],
  ): GaugeValue => {
    const turnLimit = ofTurn[name] ?? undefined;
    const runLimit = ofRun[name] ?? undefined;
    const runShare = runLimit === undefined ? -1 : values.run / runLimit;
    const turnShare = turnLimit === undefined ? -1 : values.turn / turnLimit;
    // Of tokens that a provider did not report, the cost is an estimate, too.
    const about = run.estimated_tokens > 0 && (name === "tokens" || name === "dollars");
    const isRun = runShare > turnShare || (runLimit === undefined && turnLimit === undefined && name === "dollars");
    return isRun
      ? { label: `${what} of the run`, value: values.run, limit: runLimit, about, format }
      : { label: `${what} of this turn`, value: values.turn, limit: turnLimit, about, format };
  };
  const runMs = run.milliseconds + (detail.status === "running" ? turnMs : 0);
  const gauges = [
    nearer("Time", "seconds", { turn: turnMs / 1_000, run: runMs / 1_000 }, seconds),
    nearer("Steps", "steps", { turn: turn.steps, run: run.steps }, formatNumber),
    nearer("Tokens", "tokens", { turn: tokens(turn), run: tokens(run) }, formatNumber),
  ];
  if (priced) gauges.push(nearer("Cost", "dollars", { turn: turn.dollars, run: run.dollars }, dollars));
  return gauges;
}

function tokens({ input_tokens, output_tokens }: RunDetail["usage"]): number {
  return input_tokens + output_tokens;
}

/** "$0.20" for a limit without further digits, "$0.171" otherwise. */
function dollars(value: number): string {
  return Math.abs(value * 100 - Math.round(value * 100)) < 1e-9 ? formatDollars(value, 2) : formatDollars(value);
}

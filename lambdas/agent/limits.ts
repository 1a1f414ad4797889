import type { Limits } from "./model.ts";

/** What a turn has used up, folded from its records. `milliseconds`: since its input was accepted. */
export interface Totals {
  steps: number;
  tokens: number;
  milliseconds: number;
}

export type LimitReason = keyof Limits;

/** When a turn has used up what it was given. A new limit is one more entry. */
export const stopRules: Record<LimitReason, (totals: Totals, limits: Limits) => boolean> = {
  steps: (totals, limits) => totals.steps >= limits.steps,
  tokens: (totals, limits) => totals.tokens >= limits.tokens,
  seconds: (totals, limits) => totals.milliseconds >= limits.seconds * 1000,
};

/** The first limit that is reached, or undefined when the turn may go on. */
export function reachedLimit(totals: Totals, limits: Limits): LimitReason | undefined {
  return reasons.find((reason) => stopRules[reason](totals, limits));
}

/** A limit as people read it, such as `limit of 20 steps`. */
export function limitName(reason: LimitReason, limits: Limits): string {
  return `limit of ${limits[reason]} ${reason}`;
}

const reasons = Object.keys(stopRules) as LimitReason[];

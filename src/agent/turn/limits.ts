import type { TokenUsage } from "../model.ts";

/** Upper bounds of one turn, cumulative over retries and resumes. */
export interface TurnLimits {
  /** Model calls. */
  steps: number;
  /** Input and output tokens together. */
  tokens: number;
  /** Wall clock since the turn's input was accepted. */
  seconds: number;
  inputTokens?: number;
  outputTokens?: number;
  /** US dollars, counted where the agent gives prices. */
  dollars?: number;
}

/** Upper bounds of all turns of a run together. What is absent has none. */
export type RunLimits = Partial<TurnLimits>;

/** What model calls have used up. */
export interface Usage extends Required<TokenUsage> {
  /** Model calls. */
  steps: number;
  /** Wall clock, from accepted inputs to the ends of their turns. */
  milliseconds: number;
  /** US dollars. */
  dollars: number;
}

/** US dollars for a million tokens. What is not given is counted at the most that it may cost. */
export interface Prices {
  input: number;
  /** Of input tokens read from the provider's cache. Default: as `input`. */
  cachedInput?: number;
  /** Of input tokens written to the provider's cache. Default: 1.25 × `input`, as Anthropic has it for five minutes. */
  cacheWriteInput?: number;
  output: number;
}

const cacheWriteFactor = 1.25;

export type LimitReason = keyof TurnLimits;

/** A limit that is used up, of the turn alone or of all turns of the run. */
export interface LimitExceeded {
  reason: LimitReason;
  of: "turn" | "run";
  limit: number;
}

/** What each limit counts, and in what. A new limit is one more entry. */
const counts: Record<LimitReason, { unit: string; amount: (used: Usage) => number }> = {
  steps: { unit: "steps", amount: (used) => used.steps },
  tokens: { unit: "tokens", amount: (used) => used.inputTokens + used.outputTokens },
  seconds: { unit: "seconds", amount: (used) => used.milliseconds / 1000 },
  inputTokens: { unit: "input tokens", amount: (used) => used.inputTokens },
  outputTokens: { unit: "output tokens", amount: (used) => used.outputTokens },
  dollars: { unit: "US dollars", amount: (used) => used.dollars },
};

export const noUsage: Usage = {
  steps: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  reasoningTokens: 0,
  milliseconds: 0,
  dollars: 0,
};

/** The first limit that is reached, or undefined when the turn may go on. `before`: used by the run's earlier turns. */
export function exceededLimit(
  turn: Usage,
  before: Usage,
  limits: TurnLimits,
  runLimits: RunLimits = {},
): LimitExceeded | undefined {
  return reached("turn", turn, limits) ?? reached("run", addUsage(before, turn), runLimits);
}

/** A limit as people read it, such as `limit of 20 steps of this turn`. */
export function limitName({ reason, of, limit }: LimitExceeded): string {
  return `limit of ${limit} ${counts[reason].unit} of this ${of}`;
}

/** What one model call used up. `dollars` is 0 without prices. */
export function usageOf(usage: TokenUsage, prices: Prices | undefined): Usage {
  return { ...noUsage, ...usage, steps: 1, dollars: prices ? cost(usage, prices) : 0 };
}

function cost(usage: TokenUsage, prices: Prices): number {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteInputTokens = 0 } = usage;
  const { input, cachedInput = input, cacheWriteInput = input * cacheWriteFactor, output } = prices;
  // A server may say that more came from its cache than there was.
  const read = Math.min(cachedInputTokens, inputTokens);
  const written = Math.min(cacheWriteInputTokens, inputTokens - read);
  const plain = inputTokens - read - written;
  return (plain * input + read * cachedInput + written * cacheWriteInput + outputTokens * output) / 1_000_000;
}

export function addUsage(a: Usage, b: Usage): Usage {
  return combined(a, b, 1);
}

export function subtractUsage(a: Usage, b: Usage): Usage {
  return combined(a, b, -1);
}

export const usedFields = Object.keys(noUsage) as (keyof Usage)[];

/** Totals that were stored before one of their fields came to be lack it. */
function combined(a: Partial<Usage>, b: Partial<Usage>, sign: 1 | -1): Usage {
  const sums = { ...noUsage };
  for (const field of usedFields) sums[field] = (a[field] ?? 0) + sign * (b[field] ?? 0);
  return sums;
}

const reasons = Object.keys(counts) as LimitReason[];

function reached(of: LimitExceeded["of"], used: Usage, limits: RunLimits): LimitExceeded | undefined {
  for (const reason of reasons) {
    const limit = limits[reason];
    if (limit !== undefined && counts[reason].amount(used) >= limit) return { reason, of, limit };
  }
  return undefined;
}

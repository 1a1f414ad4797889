import type { TokenUsage } from "../model.ts";

/** Limits of one turn, across retries and resumes. */
export interface TurnLimits {
  /** Model calls. */
  steps: number;
  /** Input and output tokens together. */
  tokens: number;
  /** Wall-clock time since the turn's input was accepted. */
  seconds: number;
  inputTokens?: number;
  outputTokens?: number;
  /** US dollars. Effective only when the agent has prices. */
  dollars?: number;
}

/** Limits of all turns of a run together. Absent: unlimited. */
export type RunLimits = Partial<TurnLimits>;

/** Resources used by model calls. */
export interface Usage extends Required<Omit<TokenUsage, "estimated">> {
  /** Of the input and output tokens, those that are estimated: their providers reported none. */
  estimatedTokens: number;
  /** Model calls. */
  steps: number;
  /** Wall-clock time of turns, from the accepted input to the end. */
  milliseconds: number;
  /** US dollars. */
  dollars: number;
}

/** US dollars per million tokens. A missing price is replaced by the highest one possible. */
export interface Prices {
  input: number;
  /** Input tokens read from the provider's prompt cache. Default: `input`. */
  cachedInput?: number;
  /** Input tokens written to the provider's prompt cache. Default: 1.25 × `input`, Anthropic's price for five minutes. */
  cacheWriteInput?: number;
  output: number;
}

const cacheWriteFactor = 1.25;

export type LimitReason = keyof TurnLimits;

/** A limit that the turn or the run has reached. */
export interface ReachedLimit {
  reason: LimitReason;
  of: "turn" | "run";
  limit: number;
}

/** Unit and amount of each limit. A new limit is one more entry. */
const counters: Record<LimitReason, { unit: string; amount: (used: Usage) => number }> = {
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
  estimatedTokens: 0,
  milliseconds: 0,
  dollars: 0,
};

/** The first limit that is reached, the turn's first. `before`: usage of the run's earlier turns. */
export function findReachedLimit(
  turn: Usage,
  before: Usage,
  limits: TurnLimits,
  runLimits: RunLimits | undefined,
): ReachedLimit | undefined {
  const ofTurn = findReached("turn", turn, limits);
  return ofTurn ?? (runLimits && findReached("run", addUsage(before, turn), runLimits));
}

/** A limit in words, for example `limit of 20 steps of this turn`. */
export function limitName({ reason, of, limit }: ReachedLimit): string {
  return `limit of ${limit} ${counters[reason].unit} of this ${of}`;
}

/** Usage of one model call. `dollars` is 0 without prices. */
export function usageOf(usage: TokenUsage, prices: Prices | undefined): Usage {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteInputTokens = 0, reasoningTokens = 0 } = usage;
  return {
    steps: 1,
    inputTokens,
    outputTokens,
    cachedInputTokens,
    cacheWriteInputTokens,
    reasoningTokens,
    estimatedTokens: usage.estimated ? inputTokens + outputTokens : 0,
    milliseconds: 0,
    dollars: prices ? costOf(usage, prices) : 0,
  };
}

/** US dollars of a model call whose input fills the context window. `outputTokens`: of one answer. Absent: unknown, so 0. */
export function maxStepDollars(prices: Prices, contextTokens: number, outputTokens = 0): number {
  const { input, cacheWriteInput = input * cacheWriteFactor } = prices;
  return (contextTokens * Math.max(input, cacheWriteInput) + outputTokens * prices.output) / 1_000_000;
}

function costOf(usage: TokenUsage, prices: Prices): number {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteInputTokens = 0 } = usage;
  const { input, cachedInput = input, cacheWriteInput = input * cacheWriteFactor, output } = prices;
  // Some servers report more cached tokens than input tokens.
  const read = Math.min(cachedInputTokens, inputTokens);
  const written = Math.min(cacheWriteInputTokens, inputTokens - read);
  const uncached = inputTokens - read - written;
  return (uncached * input + read * cachedInput + written * cacheWriteInput + outputTokens * output) / 1_000_000;
}

export function addUsage(a: Usage, b: Usage): Usage {
  return combineUsage(a, b, 1);
}

export function subtractUsage(a: Usage, b: Usage): Usage {
  return combineUsage(a, b, -1);
}

export const usageFields = Object.keys(noUsage) as (keyof Usage)[];

/** Fields can be missing: stored totals lack fields that were added later. */
function combineUsage(a: Partial<Usage>, b: Partial<Usage>, sign: 1 | -1): Usage {
  const sum = (ofA = 0, ofB = 0): number => ofA + sign * ofB;
  // Field by field: a loop over their names takes three times as long.
  return {
    steps: sum(a.steps, b.steps),
    inputTokens: sum(a.inputTokens, b.inputTokens),
    outputTokens: sum(a.outputTokens, b.outputTokens),
    cachedInputTokens: sum(a.cachedInputTokens, b.cachedInputTokens),
    cacheWriteInputTokens: sum(a.cacheWriteInputTokens, b.cacheWriteInputTokens),
    reasoningTokens: sum(a.reasoningTokens, b.reasoningTokens),
    estimatedTokens: sum(a.estimatedTokens, b.estimatedTokens),
    milliseconds: sum(a.milliseconds, b.milliseconds),
    dollars: sum(a.dollars, b.dollars),
  };
}

const reasons = Object.keys(counters) as LimitReason[];

function findReached(of: ReachedLimit["of"], used: Usage, limits: RunLimits): ReachedLimit | undefined {
  for (const reason of reasons) {
    const limit = limits[reason];
    if (limit !== undefined && counters[reason].amount(used) >= limit) return { reason, of, limit };
  }
  return undefined;
}

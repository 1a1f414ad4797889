import { formatDollars } from "../format.ts";

/** What tokens cost, as far as prices are known. */
export interface Cost {
  /** US dollars of the tokens whose price is known. */
  dollars: number;
  /** Tokens that nobody set a price for. */
  unpricedTokens: number;
}

/** What the API reports of one run. */
interface RunUse {
  dollars: number;
  input_tokens: number;
  output_tokens: number;
}

/** The API reports 0 dollars for tokens without prices: their cost is unknown, not nothing. */
export function costOf(used: RunUse | { dollars: number; unpriced_tokens: number }): Cost {
  const { dollars } = used;
  if ("unpriced_tokens" in used) return { dollars, unpricedTokens: used.unpriced_tokens };
  return { dollars, unpricedTokens: dollars > 0 ? 0 : used.input_tokens + used.output_tokens };
}

export function sumOfCosts(costs: Cost[]): Cost {
  const sum = { dollars: 0, unpricedTokens: 0 };
  for (const { dollars, unpricedTokens } of costs) {
    sum.dollars += dollars;
    sum.unpricedTokens += unpricedTokens;
  }
  return sum;
}

/** Whether nothing of the cost is known: there are tokens, and none has a price. */
export function isCostUnknown({ dollars, unpricedTokens }: Cost): boolean {
  return dollars === 0 && unpricedTokens > 0;
}

/** `$1.20`; `$1.20 + unknown` if a part has no price; `not known` if nothing has one. `digits`: as in `formatDollars`. */
export function costText(cost: Cost, digits?: number): string {
  if (isCostUnknown(cost)) return "not known";
  const known = formatDollars(cost.dollars, digits);
  return cost.unpricedTokens === 0 ? known : `${known} + unknown`;
}

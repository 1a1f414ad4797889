import { formatDollars } from "../format.ts";

/** What tokens cost, as far as prices are known. */
export interface Cost {
  /** US dollars of the tokens whose price is known. */
  dollars: number;
  /** Tokens that nobody set a price for. */
  unpricedTokens: number;
}

/** The API reports 0 dollars for tokens without prices: their cost is unknown, not nothing. */
export function costOf(used: { dollars: number; input_tokens: number; output_tokens: number }): Cost {
  const { dollars, input_tokens, output_tokens } = used;
  return { dollars, unpricedTokens: dollars > 0 ? 0 : input_tokens + output_tokens };
}

export function sumOfCosts(costs: Cost[]): Cost {
  const sum = { dollars: 0, unpricedTokens: 0 };
  for (const { dollars, unpricedTokens } of costs) {
    sum.dollars += dollars;
    sum.unpricedTokens += unpricedTokens;
  }
  return sum;
}

/** `$1.20`; `$1.20 + unknown` if a part has no price; `not known` if nothing has one. `digits`: as in `formatDollars`. */
export function costText({ dollars, unpricedTokens }: Cost, digits?: number): string {
  if (unpricedTokens === 0) return formatDollars(dollars, digits);
  return dollars === 0 ? "not known" : `${formatDollars(dollars, digits)} + unknown`;
}

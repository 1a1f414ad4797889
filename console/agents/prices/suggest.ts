import type { Schemas } from "../../api/types.ts";
import knownPrices from "./known-prices.json" with { type: "json" };

/** US dollars per million tokens, as in an agent's definition. */
export interface ModelPrices {
  input: number;
  output: number;
  cachedInput?: number;
  cacheWriteInput?: number;
}

/** A provider's list prices of a model. */
export interface SuggestedPrices {
  prices: ModelPrices;
  /** The page that has the prices. */
  source: string;
  /** When they were read, such as `2026-11-26`. */
  read: string;
  /** Input tokens of a request above which the provider charges more. */
  upTo: number | undefined;
}

interface Group {
  provider: string;
  host?: string;
  models: Record<string, ModelPrices & { source: string; upTo?: number }>;
}

/**
 * The list prices of a model. Undefined: they are not known. Other servers than the provider's own are never assumed to
 * charge its prices.
 */
export function suggestPrices(
  { provider, base_url }: Pick<Schemas["Model"], "provider" | "base_url">,
  model: string,
): SuggestedPrices | undefined {
  const { table, read } = knownPrices as { table: Group[]; read: string };
  const host = base_url ? URL.parse(base_url)?.hostname : undefined;
  // A server charges the same for both of its APIs.
  const priced = provider === "openai-responses" ? "openai-compatible" : provider;
  const group = table.find(
    (each) => each.provider === priced && each.host === (provider === "bedrock" ? undefined : host),
  );
  const known = group && Object.hasOwn(group.models, model) ? group.models[model] : undefined;
  if (!known) return undefined;
  const { source, upTo, ...prices } = known;
  return { prices, source, read, upTo };
}

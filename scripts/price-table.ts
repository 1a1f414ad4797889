import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Writes console/agents/prices/known-prices.json, from which the editor of agents suggests prices:
//   node scripts/price-table.ts model_prices_and_context_window_backup.json "litellm 1.110.2" 2026-11-26
// The first file is part of the Python package litellm, which collects list prices and names a source for each.

interface Entry {
  litellm_provider?: string;
  mode?: string;
  source?: string;
  input_cost_per_token?: number;
  output_cost_per_token?: number;
  cache_read_input_token_cost?: number;
  cache_creation_input_token_cost?: number;
  [field: string]: unknown;
}

/** By litellm's name: how model configurations name the provider. `host`: of the base URL of chat completions. */
const providers: Record<string, { provider: string; host?: string }> = {
  anthropic: { provider: "anthropic" },
  bedrock_converse: { provider: "bedrock" },
  cerebras: { provider: "openai-compatible", host: "api.cerebras.ai" },
  deepseek: { provider: "openai-compatible", host: "api.deepseek.com" },
  gemini: { provider: "openai-compatible", host: "generativelanguage.googleapis.com" },
  groq: { provider: "openai-compatible", host: "api.groq.com" },
  mistral: { provider: "openai-compatible", host: "api.mistral.ai" },
  moonshot: { provider: "openai-compatible", host: "api.moonshot.ai" },
  openai: { provider: "openai-compatible", host: "api.openai.com" },
  xai: { provider: "openai-compatible", host: "api.x.ai" },
};

const [file = "", from = "", read = ""] = process.argv.slice(2);
const entries = Object.entries(JSON.parse(readFileSync(file, "utf8")) as Record<string, Entry>);
const groups = Object.entries(providers).map(([name, { provider, host }]) => {
  const own = entries.filter(([model, entry]) => entry.litellm_provider === name && isUsable(model, entry));
  const priced = own.map(
    ([model, entry]) => [model.replace(/^[a-z]+\//, ""), JSON.stringify(pricesOf(entry))] as const,
  );
  // A model that is listed twice with different prices is left out.
  const models = Map.groupBy(priced, ([model]) => model);
  const lines = [...models]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([model, [first, ...others]]) => {
      const isClear = first && others.every(([, prices]) => prices === first[1]);
      return isClear ? [`${JSON.stringify(model)}:${first[1]}`] : [];
    });
  return `${JSON.stringify({ provider, ...(host && { host }) }).slice(0, -1)},"models":{\n${lines.join(",\n")}}}`;
});
const target = fileURLToPath(new URL("../console/agents/prices/known-prices.json", import.meta.url));
writeFileSync(target, `${JSON.stringify({ read, from }).slice(0, -1)},"table":[\n${groups.join(",\n")}]}\n`);

/** Models that answer with text. */
function isUsable(model: string, { mode, source, ...entry }: Entry): boolean {
  const isText =
    (mode === "chat" || mode === "responses") && !/^ft:|audio|tts|search|robotics|computer-use/.test(model);
  return isText && Boolean(source && entry.input_cost_per_token && entry.output_cost_per_token);
}

/** Per million tokens. `upTo`: input tokens of a request above which the provider charges more. */
function pricesOf(entry: Entry): object {
  const { input_cost_per_token, output_cost_per_token, cache_read_input_token_cost, source } = entry;
  const { cache_creation_input_token_cost: written } = entry;
  const tiers = Object.keys(entry).flatMap(
    (field) => /^input_cost_per_token_above_(\d+)k_tokens$/.exec(field)?.[1] ?? [],
  );
  const upTo = Math.min(...tiers.map(Number));
  return {
    input: perMillion(input_cost_per_token),
    output: perMillion(output_cost_per_token),
    ...(cache_read_input_token_cost !== undefined && { cachedInput: perMillion(cache_read_input_token_cost) }),
    // Without a price of their own, written tokens cost what others do. The agent's default is Anthropic's surcharge.
    cacheWriteInput: perMillion(written || input_cost_per_token),
    ...(Number.isFinite(upTo) && { upTo: upTo * 1_000 }),
    source,
  };
}

function perMillion(dollars = 0): number {
  return Number((dollars * 1_000_000).toPrecision(6));
}

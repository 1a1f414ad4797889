import { expect, test } from "vitest";
import { validateAgentFile } from "../../../../dist/generated/agent-file.js";
import { suggestPrices } from "../../../../console/agents/prices/suggest.ts";
import known from "../../../../console/agents/prices/known-prices.json" with { type: "json" };

const openai = { provider: "openai-compatible", base_url: "https://api.openai.com/v1" } as const;

test("a model has the prices of its provider's list, with their source and date", () => {
  expect(suggestPrices({ provider: "anthropic", base_url: null }, "claude-haiku-4-5")).toEqual({
    prices: { input: 1, output: 5, cachedInput: 0.1, cacheWriteInput: 1.25 },
    source: "https://platform.claude.com/docs/en/about-claude/pricing",
    read: known.read,
    upTo: undefined,
  });
  expect(suggestPrices(openai, "gpt-5-mini")?.prices).toMatchObject({ input: 0.25, cachedInput: 0.025, output: 2 });
  expect(suggestPrices(openai, "gpt-5.5")?.upTo).toBe(272_000);
  const responses = { ...openai, provider: "openai-responses" } as const;
  expect(suggestPrices(responses, "gpt-5-mini")).toEqual(suggestPrices(openai, "gpt-5-mini"));
  const bedrock = { provider: "bedrock", base_url: "https://vpce-1.example.com" } as const;
  expect(suggestPrices(bedrock, "amazon.nova-micro-v1:0")?.prices.input).toBe(0.035);
});

test("another server, an unknown model and a name of an object's own have no prices", () => {
  expect(suggestPrices({ ...openai, base_url: "http://127.0.0.1:4000/v1" }, "gpt-5-mini")).toBeUndefined();
  expect(suggestPrices({ ...openai, base_url: "https://api.openai.com.example/v1" }, "gpt-5-mini")).toBeUndefined();
  expect(
    suggestPrices({ provider: "anthropic", base_url: "https://proxy.example/v1" }, "claude-haiku-4-5"),
  ).toBeUndefined();
  expect(suggestPrices(openai, "my-own")).toBeUndefined();
  expect(suggestPrices(openai, "constructor")).toBeUndefined();
  expect(suggestPrices({ provider: "demo", base_url: null }, "demo")).toBeUndefined();
});

test("all known prices are accepted by an agent's definition, and have a source", () => {
  const models = known.table.flatMap(({ provider, host, models: own }) =>
    Object.keys(own).map((name) =>
      suggestPrices({ provider: provider as never, base_url: host ? `https://${host}/v1` : null }, name),
    ),
  );
  expect(models.length).toBeGreaterThan(300);
  for (const suggested of models) {
    const prices = suggested?.prices;
    expect(validateAgentFile({ name: "A", instructions: "I", prices })).toBe(true);
    expect(URL.parse(suggested?.source ?? "")?.protocol).toBe("https:");
    expect(prices && prices.output >= prices.input && prices.input > 0 && prices.output < 1_000).toBe(true);
  }
});

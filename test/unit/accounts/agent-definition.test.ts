import { describe, expect, test } from "vitest";
import { parseAgentFile } from "../../../src/accounts/agent-definition.ts";

const least = { name: "n", instructions: "i" };
const parsed = (fields: object) => parseAgentFile(JSON.stringify({ ...least, ...fields }));

describe("an agent file", () => {
  test("has defaults for the limits of a turn, and no others", () => {
    expect(parsed({ tools: [] })).toEqual({
      fields: { ...least, tools: [], limits: { steps: 50, tokens: 500_000, seconds: 1_800 } },
    });
  });

  test("may begin with a byte order mark", () => {
    expect(parseAgentFile(`\uFEFF${JSON.stringify({ ...least, tools: [] })}`)).toEqual(parsed({ tools: [] }));
    expect(parseAgentFile("\uFEFF")).toMatchObject({ problems: [expect.stringContaining("it is not JSON")] });
  });

  test("may say what the model costs, how it is to answer, its window and what a run may use", () => {
    const fields = {
      tools: [],
      limits: { steps: 5, tokens: 10, seconds: 20, inputTokens: 8, outputTokens: 2, dollars: 0.5 },
      runLimits: { steps: 9, seconds: 100, dollars: 2.5 },
      prices: { input: 3, cachedInput: 0.3, cacheWriteInput: 3.75, output: 15 },
      parameters: { temperature: 0, maxOutputTokens: 4_000, reasoningEffort: "low" },
      contextTokens: 32_000,
    };
    expect(parsed(fields)).toEqual({ fields: { ...least, ...fields } });
  });

  test.each([
    [{ limits: { dollars: 0 } }, "limits.dollars must be > 0, not 0"],
    [{ runLimits: { turns: 3 } }, "runLimits.turns is not a field of an agent file"],
    [{ prices: { input: 3 } }, "prices.output is missing"],
    [{ parameters: { temperature: 3 } }, "parameters.temperature must be <= 2, not 3"],
    [
      { parameters: { reasoningEffort: "most" } },
      'parameters.reasoningEffort must be one of low, medium, high, not "most"',
    ],
    [{ limits: { dollars: 1 } }, "prices is missing; limits.dollars counts with it"],
    [{ runLimits: { dollars: 1 } }, "prices is missing; runLimits.dollars counts with it"],
    [
      { mcp: ["https://a.example/mcp", "https://b.example/mcp"].map((url) => ({ name: "team", url })) },
      'mcp names two servers "team"; each needs its own name',
    ],
    [{ contextTokens: 100 }, "contextTokens must be >= 2000, not 100"],
  ])("%j is refused", (fields, problem) => {
    expect(parsed(fields)).toEqual({ problems: [problem] });
  });

  test("has no more bytes than a store takes", () => {
    const problem = expect.stringMatching(/^all fields together have 400\d{3} bytes of UTF-8, and at most 350000 are/);
    expect(parsed({ instructions: "🙂".repeat(100_000) })).toEqual({ problems: [problem] });
    expect(parsed({ instructions: "é".repeat(100_000) })).toHaveProperty("fields");
  });
});

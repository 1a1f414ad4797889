import { expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createKey } from "../../../src/accounts/keys.ts";
import { chunk, streams } from "../../providers/chat-completions-server.ts";
import { modelServer } from "../../providers/model-server.ts";
import { manageService } from "../../support/manage-service.ts";

test("50 creates at once spend at most one turn more than the dollars of the day", async () => {
  const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 }; // 1.50 dollars
  const answer = streams(chunk({ role: "assistant", content: "Done." }), chunk({}, { finish_reason: "stop" }), {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_760_000_000,
    model: "m",
    choices: [],
    usage,
  });
  await using model = await modelServer(...Array.from({ length: 50 }, () => answer));
  const { baseUrl } = model;
  await using service = await manageService({
    model: { provider: "openai-compatible", enabled: true, baseUrl, model: "m" },
  });
  const { accounts, runs } = service.platform;
  const { organizationId = "" } = (await accounts.findAgent(service.templateId)) ?? {};
  const { id: agentId } = await createAgent(accounts, organizationId, {
    name: "Priced",
    instructions: "",
    tools: [],
    limits: { steps: 10, tokens: 100_000, seconds: 60 },
    prices: { input: 1_000, output: 1_000 },
    maxDollarsPerDay: 3,
  });
  const { key } = await createKey(accounts, agentId);
  const create = async (): Promise<number> => {
    const response = await fetch(`${service.baseUrl}/v1/agents`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ name: "n", template_id: agentId, input_text: "Go." }),
    });
    await response.text();
    return response.status;
  };
  const statuses = await Promise.all(Array.from({ length: 50 }, create));
  expect(statuses.filter((status) => status !== 201 && status !== 429)).toEqual([]);
  const use = async () => (await runs.quotaUse({ agentId, organizationId })).agent;
  await expect.poll(async () => (await use()).dollars).toBeGreaterThanOrEqual(3);
  await expect.poll(async () => (await use()).running).toBe(0);
  expect(model.received).toHaveLength(2);
  expect(await use()).toMatchObject({ dollars: 3, turnDollars: 1.5 });
  expect(await create()).toBe(429);
});

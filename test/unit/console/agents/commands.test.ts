import { expect, test } from "vitest";
import { adminCommand, agentFileName, curlCommand } from "../../../../console/agents/commands.ts";
import { callLanguages, firstCall } from "../../../../console/agents/first-call.ts";
import { validateCreate } from "../../../../src/v1/public-requests.ts";

const agentId = "6affadb2-0c1e-4f4e-9d53-7f1c2ab0e911";
const call = { serviceUrl: "http://127.0.0.1:8787/", agentId, key: "ak_secret" };

test("the request of the first call is accepted by the service", () => {
  const curl = firstCall("curl", call);
  expect(curl).toContain("curl -s http://127.0.0.1:8787/v1/agents");
  const body: unknown = JSON.parse(/-d '(.*)'$/s.exec(curl)?.[1] ?? "");
  expect(validateCreate(body)).toMatchObject({ value: { template_id: agentId, input_text: "What is in the file?" } });
});

test("every language has the key, or reads it from the environment", () => {
  for (const language of callLanguages) {
    expect(firstCall(language, call)).toContain("ak_secret");
    const withoutKey = firstCall(language, { ...call, key: "$AGENT_RUN_KEY" });
    expect(withoutKey).not.toContain("ak_secret");
    expect(withoutKey).toContain("AGENT_RUN_KEY");
  }
  expect(firstCall("curl", { ...call, serviceUrl: null })).toContain("https://SERVICE.example.com/v1/agents");
});

test("the commands name the agent's file, and the revision that they replace", () => {
  expect(agentFileName("Data analyst (EU)")).toBe("data-analyst-eu.json");
  expect(agentFileName("分析")).toBe("agent.json");
  expect(adminCommand("npm run -s admin --", "Data analyst", agentId, "org")).toBe(
    `npm run -s admin -- agent update ${agentId} --file data-analyst.json`,
  );
  expect(adminCommand("npx agent-run-service admin", "a", undefined, "the-org", "AgentRunService-prod")).toBe(
    "npx agent-run-service admin agent create --org the-org --file a.json --stack AgentRunService-prod",
  );
  expect(curlCommand("a", agentId, "org", "http://127.0.0.1:8787", 12)).toContain(`-H 'If-Match: "12"'`);
});

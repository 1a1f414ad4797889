import { expect, test } from "vitest";
import { adminCommand, agentFileName, curlCommand } from "../../../../console/agents/commands.ts";

const agentId = "6affadb2-0c1e-4f4e-9d53-7f1c2ab0e911";

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

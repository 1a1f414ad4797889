import { afterAll, expect, test } from "vitest";
import { type SecretUse, SecretRefused } from "../../../src/agent/secret.ts";
import type { ModelConfiguration } from "../../../src/agent/model.ts";
import { advance } from "../../../src/workflow/advance.ts";
import { firstMessages, input, newRun } from "../../platform/run-fixtures.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const stores = temporaryStores();
afterAll(() => stores[Symbol.dispose]());

const claude: ModelConfiguration = { provider: "anthropic", model: "m", secret: "env:KEY", enabled: true };
const mcp = [{ name: "s", url: "https://mcp.example/mcp", headers: { "x-key": { secret: "env:TOKEN" } } }];

test.each([
  ["the model", claude, [], ["env:KEY", "https://api.anthropic.com/v1", "model"], "technical_error"],
  [
    "an MCP server",
    { provider: "demo", enabled: true },
    mcp,
    ["env:TOKEN", "https://mcp.example/mcp", "header"],
    "finished",
  ],
] as const)(
  "a run reads the secret of %s for its organization and the server's URL",
  async (id, model, servers, asked, status) => {
    const [secret, url, purpose] = asked;
    const organizationId = `organization of ${id}`;
    const limits = { steps: 5, tokens: 10_000, seconds: 60 };
    const agent = { organizationId, name: "A", instructions: "", tools: [], mcp: [...servers], limits };
    await stores.accounts.createOrganization({ id: organizationId, name: "O", model });
    await stores.accounts.createAgent({ ...agent, id, status: "active" });
    const run = newRun({ agentId: id, organizationId, createdAt: Date.now(), updatedAt: Date.now() });
    await stores.runs.create(run, firstMessages(input(1, "Hello.")));
    const uses: [string, SecretUse][] = [];
    const deps = {
      ...stores,
      now: Date.now,
      async secretOf(name: string, use: SecretUse): Promise<undefined> {
        uses.push([name, use]);
        throw new SecretRefused("may not be sent to this host");
      },
    };
    const budget = { signal: new AbortController().signal, deadline: Infinity };
    expect(await advance(deps, { runId: run.id, turn: 1 }, budget)).toMatchObject({ done: true });
    expect(uses).toEqual([[secret, { organizationId, purpose, url }]]);
    expect((await stores.runs.load(run.id))?.run.status).toBe(status);
  },
);

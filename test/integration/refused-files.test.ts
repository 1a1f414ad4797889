import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createHandler } from "../../src/api/handlers/create.ts";
import { newApiKey } from "../../src/accounts/api-key.ts";
import type { Agent, Organization } from "../../src/accounts/types.ts";
import type { Stores } from "../../src/runs/ports.ts";
import { openLocalStores } from "../../src/platform/local/index.ts";
import { awsHome } from "../support/fake-aws/platform.ts";
import type { FaultAt } from "../support/fake-aws/fake-dynamodb.ts";

interface Home extends Stores {
  /** What the home holds of runs' files and long texts. */
  files: () => string[];
}

const folder = mkdtempSync(join(tmpdir(), "refused-"));
afterAll(() => rmSync(folder, { recursive: true }));

function onOneMachine(): Home {
  const dataDir = join(folder, randomUUID());
  const files = (): string[] => readdirSync(join(dataDir, "workspaces"), { recursive: true }).map(String);
  return { ...openLocalStores({ dataDir }), files };
}

function onAws(faultAt?: FaultAt): Home & { calls: () => number } {
  const home = awsHome(faultAt);
  return { ...home, files: home.objectKeys };
}
const homes: [string, () => Home][] = [
  ["on one machine", onOneMachine],
  ["on AWS", onAws],
];

const content_base64 = Buffer.from("secret").toString("base64");
const files = ["a.txt", "b.txt"].map((filename) => ({ filename, content_base64 }));
const longInput = "x".repeat(100_000);
const model: NonNullable<Organization["model"]> = { enabled: true, provider: "demo" };

/** A new agent and key in the home; sends creates with that key. */
async function caller(
  home: Home,
  status: Agent["status"] = "active",
  has: NonNullable<Organization["model"]> | "none" = model,
) {
  const [id, organizationId] = [randomUUID(), randomUUID()];
  const { key, hash, hint } = newApiKey();
  await home.accounts.putOrganization({ id: organizationId, name: "O", ...(has !== "none" && { model: has }) });
  const limits = { steps: 1, tokens: 1, seconds: 1 };
  await home.accounts.putAgent({ id, organizationId, name: "A", instructions: "", tools: [], limits, status });
  await home.accounts.putKey({ hash, hint, agentId: id, organizationId, enabled: true, createdAt: 0 });
  const create = createHandler({
    ...home,
    workflow: { start: async () => {}, stop: async () => {} },
    now: Date.now,
    secretExists: () => true,
  });
  return async (sent: typeof files, input_text = "x"): Promise<[number | undefined, unknown]> => {
    const { statusCode, body = "" } = await create({
      rawPath: "/v1/agents",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      isBase64Encoded: false,
      requestContext: { requestId: "request-1", http: { method: "POST" } },
      body: JSON.stringify({ name: "n", template_id: id, input_text, files: sent }),
    });
    return [statusCode, (JSON.parse(body) as { detail: unknown }).detail];
  };
}

describe.each(homes)("a create that is refused %s", (_, open) => {
  test.each([
    ["for a deleted agent", "deleted", model, 404, "Agent template not found"],
    ["for an archived agent", "archived", model, 409, expect.stringContaining("archived")],
    ["for want of a model", "active", "none", 422, expect.stringContaining("model")],
  ] as const)("%s leaves neither files nor a long input behind", async (_name, status, has, statusCode, detail) => {
    const home = open();
    const create = await caller(home, status, has);
    expect(await create(files, longInput)).toEqual([statusCode, detail]);
    expect(home.files()).toEqual([]);
  });

  test.each([
    ["deleted", model, 404],
    ["archived", model, 409],
    ["active", "none", 422],
  ] as const)("for a wrong file of an agent that is %s is told what comes first", async (status, has, statusCode) => {
    const home = open();
    const create = await caller(home, status, has);
    const [code, detail] = await create([...files, { filename: "c.txt", content_base64: "***" }]);
    expect(code).toBe(statusCode);
    if (status === "active") expect(detail).toBe("file 'c.txt' is not valid base64");
    expect(home.files()).toEqual([]);
  });

  test("for no reason is created with its files", async () => {
    const home = open();
    const create = await caller(home);
    expect((await create(files))[0]).toBe(201);
    expect(home.files().filter((path) => path.endsWith(".txt"))).toHaveLength(2);
  });
});

test("of a refused create nothing is left, whichever call to AWS fails, but the one that takes it back", async () => {
  const outcomes: unknown[] = [];
  // The key; the input, two files, the agent and the organization; the files' removal, and the input's.
  for (let failing = 1; failing <= 8; failing++) {
    let before = Infinity;
    const home = onAws((call) => (call === before + failing ? "refused" : undefined));
    const create = await caller(home, "archived");
    before = home.calls();
    const [statusCode] = await create(files, longInput);
    outcomes.push([statusCode, home.files().length]);
  }
  expect(outcomes).toEqual([
    [500, 0],
    [409, 0],
    [409, 0],
    [409, 0],
    [500, 0],
    [500, 0],
    [409, 2],
    [409, 1],
  ]);
});

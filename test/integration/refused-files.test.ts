import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createHandler } from "../../src/v1/create.ts";
import { issueKey } from "../../src/accounts/keys.ts";
import type { Agent, Organization } from "../../src/accounts/account-types.ts";
import type { Runs, Stores } from "../../src/runs/ports.ts";
import { StoreUnavailable } from "../../src/errors.ts";
import { openLocalPlatform } from "../../src/platform/local/open-platform.ts";
import { fakeAwsStores } from "../support/fake-aws/platform.ts";
import type { FaultAt } from "../support/fake-aws/client.ts";
import { apiFunction } from "../support/lambda-function.ts";

interface TestPlatform extends Stores {
  /** The stored files and large texts of runs. */
  files: () => string[];
}

const folder = mkdtempSync(join(tmpdir(), "refused-"));
afterAll(() => rmSync(folder, { recursive: true }));

function onOneMachine(): TestPlatform {
  const dataDir = join(folder, randomUUID());
  const files = (): string[] => readdirSync(join(dataDir, "workspaces"), { recursive: true }).map(String);
  return { ...openLocalPlatform({ dataDir }), files };
}

function onAws(faultAt?: FaultAt): TestPlatform & { calls: () => number } {
  const platform = fakeAwsStores(faultAt);
  return { ...platform, files: platform.objectKeys };
}
const platforms: [string, () => TestPlatform][] = [
  ["on one machine", onOneMachine],
  ["on AWS", onAws],
];

const files = ["a.txt", "b.txt"].map((filename) => ({
  filename,
  content_base64: Buffer.from(`secret of ${filename}`).toString("base64"),
}));
const longInput = "x".repeat(100_000);
const model: NonNullable<Organization["model"]> = { enabled: true, provider: "demo" };

/** Adds an agent and a key; returns a function that sends creates with that key. */
async function caller(
  platform: TestPlatform,
  status: Agent["status"] = "active",
  has: NonNullable<Organization["model"]> | "none" = model,
) {
  const [id, organizationId] = [randomUUID(), randomUUID()];
  await platform.accounts.createOrganization({ id: organizationId, name: "O", ...(has !== "none" && { model: has }) });
  const limits = { steps: 1, tokens: 1, seconds: 1 };
  await platform.accounts.createAgent({ id, organizationId, name: "A", instructions: "", tools: [], limits, status });
  const { key } = await issueKey(platform.accounts, { id, organizationId });
  const workflow = { start: async () => {}, stop: async () => {} };
  const create = apiFunction(createHandler({ ...platform, workflow, now: Date.now, secretRefusal: () => undefined }));
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

describe.each(platforms)("a rejected create %s", (_, open) => {
  test.each([
    ["for a deleted agent", "deleted", model, 404, "Agent template not found"],
    ["for an archived agent", "archived", model, 409, expect.stringContaining("archived")],
    ["without a model", "active", "none", 422, expect.stringContaining("model")],
  ] as const)("%s leaves no files and no large text", async (_name, status, has, statusCode, detail) => {
    const platform = open();
    const create = await caller(platform, status, has);
    expect(await create(files, longInput)).toEqual([statusCode, detail]);
    expect(platform.files()).toEqual([]);
  });

  test.each([
    ["deleted", model, 404],
    ["archived", model, 409],
    ["active", "none", 422],
  ] as const)(
    "for an %s agent (model: %o) with an invalid file gets the error of the first check",
    async (status, has, statusCode) => {
      const platform = open();
      const create = await caller(platform, status, has);
      const [code, detail] = await create([...files, { filename: "c.txt", content_base64: "***" }]);
      expect(code).toBe(statusCode);
      if (status === "active") expect(detail).toBe("file 'c.txt' is not valid base64");
      expect(platform.files()).toEqual([]);
    },
  );

  test("keeps the files of an accepted create", async () => {
    const platform = open();
    const create = await caller(platform);
    expect((await create(files))[0]).toBe(201);
    expect(platform.files().filter((path) => path.includes("sha256"))).toHaveLength(2);
  });
});

test("a create on one machine that fails in the store deletes its files", async () => {
  const platform = onOneMachine();
  const runs = {
    ...platform.runs,
    create: () => Promise.reject(new StoreUnavailable("the disk is full", { unchanged: true })),
  };
  const create = await caller({ ...platform, runs });
  expect((await create(files))[0]).toBe(500);
  expect(platform.files()).toEqual([]);
});

test("a create on AWS whose response is lost keeps its files and ends the run", async () => {
  let before = Infinity;
  const platform = onAws((call) => (call === before + 8 ? "lost-after" : undefined));
  let id = "";
  const runs: Runs = {
    ...platform.runs,
    create(run, ...more) {
      id = run.id;
      return platform.runs.create(run, ...more);
    },
  };
  const create = await caller({ ...platform, runs });
  before = platform.calls();
  expect((await create(files))[0]).toBe(500);
  expect(platform.files()).toHaveLength(2);
  expect(await platform.runs.status(id)).toBe("technical_error");
});

// Calls of a create: key; its use, beside the others; agent, organization, webhook, two files. Then the run with its input, or the
// deletion of the files. By outcome: how many of the calls cause it when they fail.
test.each([
  ["accepted", "active", { "500, 0 files": 7, "201, 2 files": 1 }],
  ["rejected", "archived", { "500, 0 files": 4, "409, 0 files": 3, "409, 2 files": 1 }],
] as const)(
  "an %s create on AWS deletes its files when a call fails, unless it is the deletion",
  async (_, status, expected) => {
    const outcomes: Record<string, number> = {};
    for (let failing = 1; failing <= 8; failing++) {
      let before = Infinity;
      const platform = onAws((call) => (call === before + failing ? "refused" : undefined));
      const create = await caller(platform, status);
      before = platform.calls();
      const [statusCode] = await create(files);
      const outcome = `${statusCode}, ${platform.files().length} files`;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
    expect(outcomes).toEqual(expected);
  },
);

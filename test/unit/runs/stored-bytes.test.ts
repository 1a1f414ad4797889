import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { issueKey } from "../../../src/accounts/keys.ts";
import { createOrganization, setQuota } from "../../../src/accounts/organizations.ts";
import { createHandler } from "../../../src/v1/create.ts";
import { noCompanions } from "../../../src/runs/erase/companions.ts";
import { deleteRun } from "../../../src/runs/control/control-run.ts";
import { journalOf } from "../../../src/runs/read/list-events.ts";
import { beginUpload } from "../../../src/runs/files/pending-uploads.ts";
import type { Runs, Stores } from "../../../src/runs/ports.ts";
import { advance } from "../../../src/workflow/advance.ts";
import { scriptedModel } from "../../support/scripted-runs.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";
import { platforms } from "../../support/platforms.ts";

describe.each(platforms)("the quota of stored bytes on %s", (_, open) => {
  test("a create that would exceed that of its agent is 429 and stores nothing", async () => {
    const service = await newService(open(), { maxStoredBytes: 100 });
    expect((await service.create(60)).status).toBe(201);
    const { status, detail } = await service.create(41);
    expect([status, detail]).toEqual([
      429,
      "the files of the agent's runs have 60 bytes and would have 101; at most 100 are accepted (maxStoredBytes); delete runs that are no longer needed",
    ]);
    expect(await service.used()).toEqual({ agent: 60, organization: 60 });
    expect((await service.create(40)).status).toBe(201);
    expect((await service.create(0)).status).toBe(201);
  });

  test("that of an organization covers its agents, and a deleted run gives its bytes back", async () => {
    const stores = open();
    const service = await newService(stores);
    const sibling = await newService(stores, {}, service.organizationId);
    const { id } = await service.create(60);
    await service.run(id, 0); // an idle run is deleted at once
    await setQuota(stores.accounts, service.organizationId, { maxStoredBytes: 100 });
    const rejected = await sibling.create(50);
    expect([rejected.status, rejected.detail]).toEqual([
      429,
      expect.stringContaining("the files of the organization's runs have 60 bytes and would have 110"),
    ]);
    await deleteRun({ ...service.deps, companions: noCompanions }, id);
    expect((await sibling.create(50)).status).toBe(201);
    expect(await sibling.used()).toEqual({ agent: 50, organization: 50 });
    await setQuota(stores.accounts, service.organizationId, { maxStoredBytes: null });
    expect((await service.create(900)).status).toBe(201);
  });

  test("creates read no use without a quota or without files", async () => {
    const service = await newService(open());
    await service.create(60);
    await setQuota(service.stores.accounts, service.organizationId, { maxStoredBytes: 100 });
    await service.create(0);
    expect(service.reads).toBe(0);
    await service.create(10);
    expect(service.reads).toBe(1);
  });

  test("an upload is rejected before it is sent", async () => {
    const service = await newService(open(), { maxStoredBytes: 100 });
    const begin = (size: number) =>
      beginUpload({ ...service.deps, maxBytes: 1_000 }, service, { name: "a", size, sha256: "a".repeat(64) });
    await expect(begin(101)).rejects.toMatchObject({ code: "storage_quota_exceeded" });
    expect(await begin(100)).toMatchObject({ size: 100 });
  });

  test("a tool that would exceed it gets an error; what was written is kept and the turn goes on", async () => {
    const service = await newService(open(), { maxStoredBytes: 100 });
    const { id } = await service.create(60, "123456789012345"); // 15 bytes, which each step writes to another file
    await service.run(id, 4);
    const results = (await journalOf(service.stores, id)).flatMap((entry) =>
      entry.part === "result" && entry.result.name === "write_file" ? [entry] : [],
    );
    expect(results.map(({ fileBytes }) => fileBytes)).toEqual([15, 15, undefined, undefined]);
    expect(JSON.stringify(results[2]?.result)).toContain(
      "the files of the agent's runs would have 105 bytes together; at most 100 are accepted (maxStoredBytes). Delete files",
    );
    expect(await service.used()).toEqual({ agent: 90, organization: 90 });
    expect(await service.stores.runs.status(id)).toBe("finished");
  });
});

test("a tool may replace a file by a smaller one over the quota", async () => {
  const service = await newService(temporaryStores());
  const { id } = await service.create(60, "12345");
  await setQuota(service.stores.accounts, service.organizationId, { maxStoredBytes: 10 });
  await service.run(id, 1, "file.txt");
  expect(await service.used()).toEqual({ agent: 5, organization: 5 });
});

/** An agent with its create handler, and a scripted model. */
async function newService(stores: Stores, quota: { maxStoredBytes?: number } = {}, shared?: string) {
  const { accounts } = stores;
  const model = { provider: "demo", enabled: true } as const;
  const organizationId = shared ?? (await createOrganization(accounts, { name: "O", model })).id;
  const limits = { steps: 20, tokens: 1e6, seconds: 1e6 };
  const tools = ["list_files", "write_file"];
  const agent = await createAgent(accounts, organizationId, { name: "A", instructions: "", tools, limits, ...quota });
  const { key } = await issueKey(accounts, agent);
  const runs: Runs = {
    ...stores.runs,
    storedBytes(owner) {
      service.reads++;
      return stores.runs.storedBytes(owner);
    },
  };
  const workflow = { start: async () => {}, stop: async () => {} };
  const service = {
    stores,
    agentId: agent.id,
    organizationId,
    reads: 0,
    deps: { ...stores, runs, workflow, now: Date.now },

    /** `size`: bytes of the file of the run, 0 for none. */
    async create(size: number, input_text = "Go.") {
      const files = [{ filename: "file.txt", content_base64: Buffer.alloc(size, "x").toString("base64") }];
      const body = JSON.stringify({ name: "n", template_id: agent.id, input_text, ...(size > 0 && { files }) });
      const handler = createHandler({ ...service.deps, secretRefusal: () => undefined });
      const response = await handler({
        id: randomUUID(),
        method: "POST",
        path: "/v1/agents",
        parameters: {},
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        query: new URLSearchParams(),
        parseBody: async (parse) => parse(body),
      });
      const { agent_id: id = "", detail } = JSON.parse(String(response.body)) as Record<string, string>;
      return { id, status: response.status, detail };
    },

    /** Runs the turn: each step writes the input to a file of its own, or to `name`. */
    async run(runId: string, steps: number, name?: string) {
      const scripted = scriptedModel(steps).model;
      const written: typeof scripted = async (request) => {
        const outcome = await scripted(request);
        if (name === undefined || !("answer" in outcome)) return outcome;
        const toolCalls = outcome.answer.toolCalls.map((call) => ({
          ...call,
          input: { ...(call.input as object), name },
        }));
        return { answer: { ...outcome.answer, toolCalls } };
      };
      const openModel = async () => ({ model: written, name: "m", provider: "p" });
      const deps = { ...stores, runs, now: Date.now, secretOf: async () => undefined, openModel };
      const budget = { signal: new AbortController().signal, deadline: Infinity, leaseWait: 0 };
      await advance(deps, { runId, turn: 1 }, budget);
    },

    used: () => stores.runs.storedBytes({ agentId: agent.id, organizationId }),
  };
  return service;
}

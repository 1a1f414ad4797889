import { describe, expect, test } from "vitest";
import { createAgent, setAgentStatus } from "../../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import { setWebhook, setWebhookEnabled } from "../../../src/accounts/webhooks.ts";
import { StoreUnavailable } from "../../../src/errors.ts";
import { createRun, type CreateRunDeps, type NewRun } from "../../../src/runs/begin/create-run.ts";
import { idempotencyOf } from "../../../src/runs/begin/idempotency.ts";
import type { Stores } from "../../../src/runs/ports.ts";
import { readRunFile } from "../../../src/runs/files/read-files.ts";
import { anAnswer } from "../../platform/run-fixtures.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const platforms: [string, () => Stores][] = [
  ["local", () => temporaryStores()],
  ["AWS", () => fakeAwsStores(undefined, { conflicts: true })],
];

test("an id is a UUID of version 7: it begins with the time of the create", async () => {
  const { create, stores } = await service(temporaryStores());
  const ids = await Promise.all(Array.from({ length: 20 }, async () => (await create({})).id));
  expect(new Set(ids.map((id) => id.slice(-8))).size).toBe(20);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toBe((await headOf(stores, id)).createdAt);
  }
});

describe.each(platforms)("creates with an idempotency key on %s", (_, open) => {
  const body = { name: "R", input_text: "Go." };
  const idempotency = idempotencyOf("order 4711", body);

  test("a repeated create names the run of the first one and stores no files", async () => {
    const { create, stores, agentId, started } = await service(open());
    const files = [{ name: "a.txt", content: () => Buffer.from("content") }];
    const first = await create({ idempotency, files });
    expect(first.replayed).toBe(false);
    expect(await create({ idempotency, files })).toEqual({ id: first.id, files: first.files, replayed: true });
    expect((await stores.runs.list({ agentIds: [agentId], limit: 9 })).runs).toHaveLength(1);
    expect(new Set(started)).toEqual(new Set([`${first.id} 1`]));
  });

  test("of 30 creates at once, one stores the run, and the files of the others are deleted", async () => {
    const { create, stores, agentId } = await service(open(), { maxRunning: 3 });
    const files = [{ name: "a.txt", content: () => Buffer.from("content") }];
    const all = await Promise.all(Array.from({ length: 30 }, () => create({ idempotency, files })));
    const [id = ""] = new Set(all.map((each) => each.id));
    expect(all.filter(({ replayed }) => !replayed)).toMatchObject([{ id, replayed: false }]);
    expect(all.filter((each) => each.id === id)).toHaveLength(30);
    expect((await stores.runs.list({ agentIds: [agentId], limit: 9 })).runs.map((run) => run.id)).toEqual([id]);
    expect(String((await readRunFile(stores, id, "a.txt")).content)).toBe("content");
    if ("objectKeys" in stores) expect((stores as ReturnType<typeof fakeAwsStores>).objectKeys()).toHaveLength(1);
    expect((await stores.runs.quotaUse(await headOf(stores, id))).agent.running).toBe(1);
  });

  test("a repetition works while the agent is archived, and a key is not used up by a rejected create", async () => {
    const { create, stores, agentId } = await service(open());
    await setAgentStatus(stores.accounts, agentId, "archived");
    await expect(create({ idempotency })).rejects.toMatchObject({ code: "agent_archived" });
    await setAgentStatus(stores.accounts, agentId, "active");
    const { id } = await create({ idempotency });
    await setAgentStatus(stores.accounts, agentId, "archived");
    expect(await create({ idempotency })).toEqual({ id, files: [], replayed: true });
  });

  test("a create whose start failed is completed by its repetition", async () => {
    const { create, stores, agentId, started, deps } = await service(open());
    deps.workflow = { ...deps.workflow, start: () => Promise.reject(new StoreUnavailable("down")) };
    await expect(create({ idempotency })).rejects.toThrow("down");
    const [run] = (await stores.runs.list({ agentIds: [agentId], limit: 9 })).runs;
    expect(run?.status).toBe("running");
    deps.workflow = { ...deps.workflow, start: async (id, turn) => void started.push(`${id} ${turn}`) };
    expect(await create({ idempotency })).toEqual({ id: run?.id, files: [], replayed: true });
    expect(started).toEqual([`${run?.id} 1`]);
  });

  test("a repetition does not start a run that has recorded an event since its input", async () => {
    const { create, stores, started } = await service(open());
    const { id } = await create({ idempotency });
    const entry = { turn: 1, part: "answer", step: 1, answer: anAnswer, sequence: 2, at: 9 } as const;
    const expected = { status: "running", turn: 1 } as const;
    expect(await stores.runs.change({ runId: id, expect: expected, entries: [entry] })).toBe(true);
    expect(await create({ idempotency })).toEqual({ id, files: [], replayed: true });
    expect(started).toEqual([`${id} 1`]);
  });

  test("a create whose response was lost is completed by its repetition, with its files", async () => {
    const { create, stores, started, deps } = await service(open());
    const { runs } = stores;
    deps.runs = {
      ...runs,
      async create(...args) {
        await runs.create(...args);
        throw new StoreUnavailable("timed out");
      },
    };
    const files = [{ name: "a.txt", content: () => Buffer.from("content") }];
    await expect(create({ idempotency, files })).rejects.toThrow("timed out");
    expect(started).toEqual([]);
    const { id, replayed } = await create({ idempotency, files });
    expect([replayed, started]).toEqual([true, [`${id} 1`]]);
    expect(String((await readRunFile(stores, id, "a.txt")).content)).toBe("content");
  });
});

describe.each(platforms)("the webhook of a run on %s", (_, open) => {
  const url = "https://example.com/hook";

  test("is the agent's while that is enabled and has a URL", async () => {
    const { create, stores, agentId } = await service(open());
    const webhookOf = async () => (await headOf(stores, (await create({})).id)).webhook;
    expect(await webhookOf()).toBeUndefined();
    await setWebhook(stores.accounts, agentId, { url, privateAddresses: false });
    expect(await webhookOf()).toBe("agent");
    await setWebhookEnabled(stores.accounts, agentId, false);
    expect(await webhookOf()).toBeUndefined();
    await setWebhook(stores.accounts, agentId, { privateAddresses: false });
    expect(await webhookOf()).toBeUndefined();
  });

  test("is its own URL, which needs the secret of the agent's webhook and has to be https:", async () => {
    const { create, stores, agentId } = await service(open());
    await expect(create({ webhook: { url } })).rejects.toMatchObject({ code: "webhook_not_configured" });
    await setWebhook(stores.accounts, agentId, { privateAddresses: false });
    expect((await headOf(stores, (await create({ webhook: { url } })).id)).webhook).toBe(url);
    await expect(create({ webhook: { url: "http://example.com" } })).rejects.toMatchObject({
      code: "invalid_argument",
    });
    await setWebhook(stores.accounts, agentId, { privateAddresses: true });
    const inside = "http://10.1.2.3:8080/hook";
    expect((await headOf(stores, (await create({ webhook: { url: inside } })).id)).webhook).toBe(inside);
    for (const host of ["127.0.0.1:8080", "169.254.169.254", "localhost:8787"]) {
      await expect(create({ webhook: { url: `http://${host}/hook` } })).rejects.toMatchObject({
        code: "invalid_argument",
        message: expect.stringContaining("not an address of the public internet or a private network"),
      });
    }
  });

  test("labels are stored with the run, and no labels are the same as none", async () => {
    const { create, stores } = await service(open());
    expect((await headOf(stores, (await create({ labels: { team: "a" } })).id)).labels).toEqual({ team: "a" });
    expect(await headOf(stores, (await create({ labels: {} })).id)).not.toHaveProperty("labels");
  });
});

async function headOf(stores: Stores, id: string) {
  const run = await stores.runs.head(id);
  if (!run) throw new Error(`run ${id} does not exist`);
  return run;
}

/** An agent with a model. `started`: the turns that were started. */
async function service(stores: Stores, quota: { maxRunning?: number } = {}) {
  const model = { provider: "demo", enabled: true } as const;
  const { id: organizationId } = await createOrganization(stores.accounts, { name: "O", model });
  const limits = { steps: 1, tokens: 1, seconds: 1 };
  const definition = { name: "A", instructions: "Answer.", tools: [], limits, ...quota };
  const { id: agentId } = await createAgent(stores.accounts, organizationId, definition);
  const started: string[] = [];
  const start = async (id: string, turn: number): Promise<void> => void started.push(`${id} ${turn}`);
  const deps: CreateRunDeps = {
    ...stores,
    workflow: { start, stop: async () => {} },
    now: Date.now,
    secretRefusal: () => undefined,
  };
  const create = (more: Partial<NewRun>) =>
    createRun(deps, { agentId, organizationId }, { name: "R", text: "Go.", ...more });
  return { create, stores, agentId, started, deps };
}

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTick } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { createAgent } from "../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../src/accounts/organizations.ts";
import type { Run } from "../../src/runs/run-types.ts";
import { waitingRuns } from "../../src/runs/read/reports/waiting-runs.ts";
import { temporaryStores } from "../support/temporary-stores.ts";
import { created, firstMessages, input, newRun, numbered, onTurn, output } from "./run-fixtures.ts";
import { newCase, newTrial } from "./trials.contract.ts";

const stores = temporaryStores();
const { runs, accounts } = stores;
afterAll(() => stores[Symbol.dispose]());

async function running(): Promise<Run> {
  const run = await created(runs);
  await nextTick();
  return run;
}

const finish = (run: Run): Promise<boolean> =>
  runs.change({
    ...onTurn(run),
    set: { status: "finished", turn: 1, updatedAt: 2 },
    ...numbered(1, { messages: [output(1, "done")] }),
  });

const poll = (run: Run, agentId = run.agentId) =>
  runs.open(run.id, Promise.resolve({ agentId, organizationId: run.organizationId }));

test("a poll sees the end of a turn that is about to be written", async () => {
  const run = await running();
  const finishing = finish(run);
  expect(await poll(run)).toMatchObject({
    run: { status: "finished" },
    transcript: [{ text: "first" }, { text: "done" }],
  });
  expect(await finishing).toBe(true);
});

test("a poll of another agent does not wait for it", async () => {
  const run = await running();
  const finishing = finish(run);
  let written = false;
  const noted = finishing.then(() => (written = true));
  expect(await poll(run, "another agent")).toBeUndefined();
  expect(written).toBe(false);
  await noted;
});

test("a poll does not wait while another process locks the database", async () => {
  const run = await running();
  const other = new DatabaseSync(join(stores.dataDir, "runs.sqlite"));
  other.exec("BEGIN IMMEDIATE");
  const finishing = finish(run);
  expect(await poll(run)).toMatchObject({ run: { status: "running" } });
  other.exec("COMMIT");
  other.close();
  expect(await finishing).toBe(true);
  expect(await poll(run)).toMatchObject({ run: { status: "finished" } });
});

test("a run that changes in the commit of its create is loaded as changed, and not claimed", async () => {
  const run = newRun();
  const creating = runs.create(run, firstMessages(input(1, "first")));
  const set = { status: "terminated", turn: 1, updatedAt: 2 } as const;
  const ending = runs.change({ ...onTurn(run), set });
  await creating;
  expect(await runs.load(run.id)).toMatchObject({ run: { status: "terminated" } });
  expect(await runs.claim({ runId: run.id, owner: "worker", now: 1, until: 2 })).toBeUndefined();
  expect(await ending).toBe(true);
});

/** Whether other work is done while a list is read. */
async function othersWorkDuring(list: () => Promise<unknown>): Promise<boolean> {
  let worked = false;
  const listed = list().then(() => worked);
  await nextTick();
  worked = true;
  return listed;
}

test("other requests are handled while the agents of an organization with large definitions are read", async () => {
  const { id: large } = await createOrganization(accounts, { name: "Large" });
  const { id: small } = await createOrganization(accounts, { name: "Small" });
  const definition = {
    name: "A",
    instructions: "x".repeat(100_000),
    tools: [],
    limits: { steps: 1, tokens: 1, seconds: 1 },
  };
  const ids: string[] = [];
  for (let count = 0; count < 12; count++) ids.push((await createAgent(accounts, large, definition)).id);
  const { id } = await createAgent(accounts, small, definition);
  expect(await othersWorkDuring(() => accounts.listAgents(large))).toBe(true);
  expect((await accounts.listAgents(large)).map((agent) => agent.id)).toEqual(ids.toSorted());
  expect(await accounts.listAgents(small)).toMatchObject([{ id, name: definition.name }]);
  expect((await accounts.listAgents()).map((agent) => agent.id)).toEqual([...ids, id].toSorted());
  expect(await accounts.listAgents(randomUUID())).toEqual([]);
});

test("other requests are handled while the audit of an organization is found among that of others", async () => {
  const { id } = await createOrganization(accounts, { name: "Own" }, "mira");
  const entry = { action: "run.share", actor: "jo", organizationId: randomUUID() };
  const insert = stores.database.db.prepare("INSERT INTO audit (at, body) VALUES (?, ?)");
  const since = Date.now() + 60_000;
  stores.database.db.exec("BEGIN");
  for (let count = 0; count < 4_500; count++) {
    const at = since + Math.floor(count / 1_500); // many at the same time
    const organizationId = count % 1_000 === 0 ? id : entry.organizationId;
    insert.run(at, JSON.stringify({ ...entry, at, id: String(count), organizationId }));
  }
  stores.database.db.exec("COMMIT");
  const auditOf = async (more: object, organizations = [id]) => {
    const entries = await accounts.listAudit({ since, organizations, limit: 1_000, ...more });
    return entries.map((each) => each.id);
  };
  expect(await othersWorkDuring(() => auditOf({}))).toBe(true);
  expect(await auditOf({})).toEqual(["4000", "3000", "2000", "1000", "0"]);
  expect(await auditOf({ limit: 2 })).toEqual(["4000", "3000"]);
  expect(await auditOf({ until: since + 2 })).toEqual(["2000", "1000", "0"]);
  expect(await auditOf({ since: 0 })).toEqual(["4000", "3000", "2000", "1000", "0", id]);
  expect(await auditOf({}, [])).toEqual([]);
  expect(await auditOf({}, [id, entry.organizationId])).toHaveLength(1_000);
});

test("other requests are handled while the cases of a trial are read", async () => {
  const { trials } = stores;
  const { id: organizationId } = await createOrganization(accounts, { name: "O" });
  const definition = { name: "A", instructions: "Answer.", tools: [], limits: { steps: 1, tokens: 1, seconds: 1 } };
  const trial = newTrial({ organizationId, agentId: (await createAgent(accounts, organizationId, definition)).id });
  const cases = [newCase(trial.id, 1), newCase(trial.id, 2)];
  await trials.create(trial, cases);
  expect(await othersWorkDuring(() => trials.listCases(trial.id))).toBe(true);
  expect(await trials.listCases(trial.id)).toEqual(cases);
});

test("runs that wait for answers are counted while they are read, and other requests are handled", async () => {
  const { id: organization } = await createOrganization(accounts, { name: "O" });
  for (let count = 0; count < 60; count++) {
    const run = await created(runs, { organizationId: organization });
    const asks = { askedUntil: 90, pauses: 1, worked: 20 };
    await runs.change({ ...onTurn(run), set: { status: "running", turn: run.turn, updatedAt: 30, asks } });
  }
  const read: number[] = [];
  const list = (agent?: string) =>
    waitingRuns(
      { accounts, runs },
      { of: { organization, ...(agent && { agent }) }, limit: 200, onRead: (count) => void read.push(count) },
    );
  expect(await othersWorkDuring(() => list())).toBe(true);
  expect(read.splice(0)).toEqual([50, 10]);
  const definition = { name: "A", instructions: "Answer.", tools: [], limits: { steps: 1, tokens: 1, seconds: 1 } };
  await list((await createAgent(accounts, organization, definition)).id);
  expect(read).toEqual([0]); // gives back what the request has paid ahead
});

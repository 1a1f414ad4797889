import { randomUUID } from "node:crypto";
import { beforeEach, afterEach, describe, expect, test } from "vitest";
import { createAgent, updateAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import { deleteRun } from "../../../src/runs/control/control-run.ts";
import { deleteExpiredRuns, resumeErasures } from "../../../src/runs/erase/retention.ts";
import type { Run } from "../../../src/runs/run-types.ts";
import { externalWorkflow } from "../../../src/platform/local/workflow.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";
import { newTrial } from "../../platform/trials.contract.ts";

const day = 86_400_000;
const start = 1_763_000_000_000;
const definition = { name: "A", instructions: "", tools: [], limits: { steps: 3, tokens: 1_000, seconds: 60 } };

let stores: ReturnType<typeof temporaryStores>;
let organizationId: string;
beforeEach(async () => {
  stores = temporaryStores();
  organizationId = (await createOrganization(stores.accounts, { name: "O" })).id;
});
afterEach(() => stores[Symbol.dispose]());

const depsAt = (time: number) => ({ ...stores, workflow: externalWorkflow, now: () => time });
const agentWith = (fields: object) => createAgent(stores.accounts, organizationId, { ...definition, ...fields });

async function finishedRun(agentId: string, createdAt: number, fields: Partial<Run> = {}): Promise<string> {
  const id = randomUUID();
  const run = {
    id,
    agentId,
    organizationId,
    name: "Kept",
    status: "finished",
    turn: 0,
    createdAt,
    updatedAt: createdAt,
  } as const;
  await stores.runs.create({ ...run, sequence: 0, ...fields }, []);
  return id;
}

const nameOf = async (id: string): Promise<string | undefined> => (await stores.runs.head(id))?.name;

describe("keepDays", () => {
  test("deletes runs that have not changed for so long, and no others", async () => {
    const agent = await agentWith({ keepDays: 7 });
    const other = await agentWith({});
    const old = await finishedRun(agent.id, start);
    const changed = await finishedRun(agent.id, start, { updatedAt: start + day });
    const running = await finishedRun(agent.id, start, { status: "running", turn: 1 });
    const ofOther = await finishedRun(other.id, start);
    await deleteExpiredRuns(depsAt(start + 7 * day + 1));
    expect(await Promise.all([old, changed, running, ofOther].map(nameOf))).toEqual(["", "Kept", "Kept", "Kept"]);
    expect(await stores.runs.head(old)).toMatchObject({ status: "terminated", sequence: 0 });
    await deleteExpiredRuns(depsAt(start + 8 * day + 1));
    expect(await Promise.all([changed, running].map(nameOf))).toEqual(["", "Kept"]);
  });

  test("deletes the trials that have not changed for so long, and no others", async () => {
    const agent = await agentWith({ keepDays: 7 });
    const old = newTrial({ agentId: agent.id, status: "finished", updatedAt: start });
    const active = newTrial({ agentId: agent.id, status: "running", updatedAt: start });
    const changed = newTrial({ agentId: agent.id, status: "finished", updatedAt: start + day });
    for (const trial of [old, active, changed]) await stores.trials.create(trial, []);
    await deleteExpiredRuns(depsAt(start + 7 * day + 1));
    const kept = await Promise.all([old, active, changed].map(({ id }) => stores.trials.find(id)));
    expect(kept.map((trial) => trial !== undefined)).toEqual([false, true, true]);
  });

  test("deletes more runs than a page has, also when it is set later", async () => {
    const agent = await agentWith({});
    const ids = await Promise.all(
      Array.from({ length: 230 }, (_, n) => finishedRun(agent.id, start + Math.floor(n / 3))),
    );
    await deleteExpiredRuns(depsAt(start + 900 * day));
    expect(new Set(await Promise.all(ids.map(nameOf)))).toEqual(new Set(["Kept"]));
    await updateAgent(stores.accounts, agent.id, { ...definition, keepDays: 1 });
    await deleteExpiredRuns(depsAt(start + 2 * day));
    expect(new Set(await Promise.all(ids.map(nameOf)))).toEqual(new Set([""]));
    expect(await stores.runs.listErasures()).toEqual([]);
  });

  test("keeps a run that gets an input before its deletion", async () => {
    const agent = await agentWith({ keepDays: 7 });
    const id = await finishedRun(agent.id, start);
    const list = stores.runs.list.bind(stores.runs);
    const set = { status: "running", turn: 1, updatedAt: start + 9 * day } as const;
    stores.runs.list = async (query) => {
      const page = await list(query);
      await stores.runs.change({ runId: id, expect: { status: "finished", turn: 0 }, set });
      return page;
    };
    await deleteExpiredRuns(depsAt(start + 9 * day));
    expect(await stores.runs.head(id)).toMatchObject({ status: "running", name: "Kept" });
    expect(await stores.runs.listErasures()).toEqual([]);
  });
});

test("a deletion that was interrupted before its end is continued", async () => {
  const agent = await agentWith({});
  const [id, stopped] = [
    await finishedRun(agent.id, start),
    await finishedRun(agent.id, start, { status: "terminated" }),
  ];
  const broken = { ...stores.workspace, removeAll: () => Promise.reject(new Error("killed")) };
  for (const each of [id, stopped]) {
    await expect(deleteRun({ ...depsAt(start + day), workspace: broken }, each)).rejects.toThrow("killed");
    expect(await nameOf(each)).toBe("Kept");
  }
  expect((await stores.runs.listErasures()).toSorted()).toEqual([id, stopped].toSorted());
  await resumeErasures(depsAt(start + 2 * day));
  expect(await Promise.all([id, stopped].map(nameOf))).toEqual(["", ""]);
  expect(await stores.runs.listErasures()).toEqual([]);
});

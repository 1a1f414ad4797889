import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { localToolEdges } from "../bin/local/sandbox.ts";
import { nothingUsed } from "../lambdas/agent/limits.ts";
import type { Model } from "../lambdas/agent/model.ts";
import { builtInTools } from "../lambdas/agent/tools/index.ts";
import { runTurn } from "../lambdas/agent/turn.ts";
import { logging } from "../lambdas/log.ts";
import type { Agent, Run, StepRecord } from "../lambdas/runs/ports.ts";
import { finishTurn, stepRecorder } from "../lambdas/runs/turns.ts";
import { type LocalStores, openLocalStores } from "../lambdas/stores/local/index.ts";
import { startRunner } from "../lambdas/workflow/runner.ts";
import { newDataDir } from "./servers.ts";
import { median, type Row } from "./table.ts";

const steps = 12;
const secretOf = async (): Promise<undefined> => undefined;

/** What the engine adds to a step, how soon a killed run goes on, and what a program in the sandbox costs. */
export async function measureEngine({ rounds }: { rounds: number }): Promise<Row[]> {
  logging.level = "error";
  return [...(await measureSteps(rounds)), ...(await measureResumes(rounds)), ...(await measureSandbox(rounds))];
}

/** Lists the files in every step but the last. */
function scripted(): Model {
  let calls = 0;
  return async () => {
    const last = ++calls === steps;
    return {
      answer: {
        text: last ? "All steps are done." : "",
        toolCalls: last ? [] : [{ id: `call-${calls}`, name: "list_files", input: {} }],
        finishReason: last ? "stop" : "tool-calls",
        usage: { inputTokens: 100, outputTokens: 10 },
      },
    };
  };
}

const limits = { steps: 10_000, tokens: 1_000_000_000, seconds: 86_400 };

function newRun(agent: Pick<Agent, "id" | "organizationId">): Run {
  const now = Date.now();
  const { id: agentId, organizationId } = agent;
  return {
    id: randomUUID(),
    agentId,
    organizationId,
    name: "bench",
    status: "running",
    turn: 1,
    createdAt: now,
    updatedAt: now,
  };
}

/** A turn as `advance` works on it, with a model that answers at once. Resolves with what was recorded. */
async function wholeTurn({ runs, workspace }: LocalStores): Promise<StepRecord[]> {
  const run = newRun({ id: "agent", organizationId: "organization" });
  const runId = run.id;
  await runs.create(run, [{ turn: 1, role: "input_to_agent", text: "Go." }]);
  const now = Date.now();
  const claim = await runs.claim({ runId, owner: "bench", now, until: now + 60_000 });
  const worked = { runId, turn: 1, token: claim?.token ?? 0, startedAt: now };
  const record = stepRecorder({ runs }, worked);
  const recorded: StepRecord[] = [];
  const outcome = await runTurn(
    {
      turn: 1,
      instructions: "Work.",
      history: [{ role: "user", text: "Go." }],
      recorded: [],
      limits,
      usedBefore: nothingUsed,
      startedAt: now,
      deadline: Infinity,
      patience: 0,
    },
    {
      model: scripted(),
      tools: builtInTools({ tools: ["list_files"] }, { secretOf }),
      files: {
        list: () => workspace.list(runId),
        read: (name) => workspace.read(runId, name),
        write: (name, content) => workspace.write(runId, [{ name, content }]),
      },
      now: Date.now,
      signal: new AbortController().signal,
      record(part) {
        recorded.push({ turn: 1, ...part });
        return record({ turn: 1, ...part });
      },
      emit() {},
    },
  );
  if (outcome.kind !== "done") throw new Error(`the scripted turn ended as ${outcome.kind}`);
  await finishTurn({ runs, now: Date.now }, worked, { ...outcome, queue: [] });
  return [...recorded, { turn: 1, ...outcome.last }];
}

/** The same records and texts by a bare loop over node:sqlite, each on disk before the next. */
function bareLoop(dataDir: string): (records: StepRecord[]) => Promise<void> {
  const db = new DatabaseSync(join(dataDir, "bare.sqlite"));
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE runs (id INTEGER PRIMARY KEY, status TEXT, output TEXT) STRICT;
    CREATE TABLE steps (run INTEGER, place INTEGER, body TEXT, PRIMARY KEY (run, place)) STRICT, WITHOUT ROWID`);
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const insertRun = db.prepare("INSERT INTO runs VALUES (NULL, 'running', NULL)");
  const insertStep = db.prepare("INSERT INTO steps VALUES (?, ?, ?)");
  const finish = db.prepare("UPDATE runs SET status = 'finished', output = ? WHERE id = ?");
  const write = (operation: () => unknown): Promise<unknown> =>
    new Promise((resolve) => {
      setImmediate(() => {
        begin.run();
        const value = operation();
        commit.run();
        resolve(value);
      });
    });
  return async (records) => {
    const { lastInsertRowid: run } = (await write(() => insertRun.run())) as { lastInsertRowid: number };
    for (const [place, record] of records.entries()) {
      const last = place === records.length - 1;
      await write(() => {
        insertStep.run(run, place, JSON.stringify(record));
        if (last) finish.run("All steps are done.", run);
      });
    }
  };
}

async function measureSteps(rounds: number): Promise<Row[]> {
  const dataDir = newDataDir();
  const stores = openLocalStores({ dataDir });
  const bare = bareLoop(dataDir);
  const records = await wholeTurn(stores);
  const times = { engine: [] as number[], bare: [] as number[] };
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const begun = performance.now();
    for (let turn = 0; turn < 20; turn++) await work();
    return (performance.now() - begun) / 20 / records.length;
  };
  for (let round = 0; round <= rounds; round++) {
    const engine = await timed(() => wholeTurn(stores));
    const floor = await timed(() => bare(records));
    if (round === 0) continue; // warm-up
    times.engine.push(engine);
    times.bare.push(floor);
  }
  stores.close();
  return [
    {
      name: `${steps}-step turn, per record`,
      unit: "ms",
      floor: median(times.bare),
      service: median(times.engine),
      target: { timesFloor: 1.5 },
    },
  ];
}

/** From the runner's start to the model's next call, for a run that was left in the middle of a turn. */
async function measureResumes(rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  let called: (() => void) | undefined;
  const server = createServer((request) => {
    request.resume();
    called?.(); // and never answered: the runner is closed
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  for (const recordedSteps of [0, 10, 1_000]) {
    const times: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const stores = openLocalStores({ dataDir: newDataDir() });
      await leaveRun(stores, baseUrl, recordedSteps);
      const runner = startRunner({ ...stores, now: Date.now, secretOf });
      const next = new Promise<void>((resolve) => (called = resolve));
      const begun = performance.now();
      await runner.reconcile();
      await next;
      if (round > 0) times.push(performance.now() - begun); // the first loads the provider
      await runner.close();
      stores.close();
    }
    if (recordedSteps === 0) continue; // the provider is loaded now
    const target = recordedSteps === 1_000 ? { atMost: 200 } : undefined;
    rows.push({ name: `resume with ${recordedSteps} recorded steps`, unit: "ms", service: median(times), target });
  }
  server.closeAllConnections();
  server.close();
  return rows;
}

async function leaveRun(stores: LocalStores, baseUrl: string, recordedSteps: number): Promise<void> {
  const { accounts, runs } = stores;
  const organization = {
    id: randomUUID(),
    name: "bench",
    model: { enabled: true, provider: "openai-compatible", baseUrl, model: "m" } as const,
  };
  const agent: Agent = {
    id: randomUUID(),
    organizationId: organization.id,
    name: "bench",
    instructions: "Work.",
    tools: ["list_files"],
    limits,
    status: "active",
  };
  await Promise.all([accounts.putOrganization(organization), accounts.putAgent(agent)]);
  const run = newRun(agent);
  await runs.create(run, [{ turn: 1, role: "input_to_agent", text: "Go." }]);
  const records = Array.from({ length: recordedSteps }, (_, index): StepRecord[] => {
    const call = { id: `call-${index}`, name: "list_files", input: {} };
    const answer = {
      text: "",
      toolCalls: [call],
      finishReason: "tool-calls",
      usage: { inputTokens: 100, outputTokens: 10 },
    } as const;
    const result = { callId: call.id, name: call.name, text: "The workspace is empty." };
    return [
      { turn: 1, step: index + 1, part: "answer", answer: { ...answer, toolCalls: [call] } },
      { turn: 1, step: index + 1, part: "result", call: 0, result },
    ];
  }).flat();
  const applied = await runs.change({ runId: run.id, expect: { status: "running", turn: 1 }, steps: records });
  if (!applied) throw new Error("the records of the run to be resumed were refused");
}

/** A program that prints a sum, in a sandbox that was just opened and in one that has run programs before. */
async function measureSandbox(rounds: number): Promise<Row[]> {
  const first: number[] = [];
  const next: number[] = [];
  const signal = new AbortController().signal;
  for (let round = 0; round < rounds; round++) {
    const { sandbox } = localToolEdges();
    for (let call = 0; call < 6; call++) {
      const begun = performance.now();
      const program = { engine: "javascript", program: "console.log(1 + 1)", seconds: 10 } as const;
      const { output } = await sandbox.run({ ...program, files: [] }, signal);
      (call === 0 ? first : next).push(performance.now() - begun);
      if (output.trim() !== "2") throw new Error(`the sandbox printed ${JSON.stringify(output)}`);
      await new Promise((resolve) => setTimeout(resolve, 200)); // as between two steps: the model answers in between
    }
    sandbox.close();
  }
  return [
    { name: "run_javascript, first call", unit: "ms", service: median(first) },
    { name: "run_javascript, next call", unit: "ms", service: median(next), target: { atMost: 10 } },
  ];
}

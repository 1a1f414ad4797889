import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { starterAgent } from "../bin/local/starter.ts";
import { openLocalStores } from "../lambdas/stores/local/index.ts";
import { seedFloor } from "./floor.ts";
import { type Connection, createRequest, expectAnswer, getRequest, hammer, openConnection } from "./load.ts";
import { floorAgentId, type Kind, memoryOf, newDataDir, type Server, startServer } from "./servers.ts";
import { median, quantile, type Row } from "./table.ts";

const callers = 16;
const inputText = "How many words does this input have?";
const longRunMessages = 200;
const messageText =
  "A message of a long run, about as long as one sentence of an answer or of a question to an agent is.";

interface Values {
  createP50: number[];
  createP99: number[];
  finishedP50: number[];
  runsPerSecond: number[];
  shortPolls: number[];
  longPolls: number[];
}

interface Side extends Values {
  server: Server;
  one: Connection;
  many: Connection[];
  shortRun: string;
  longRun: string;
  idleMemory: number;
}

/** Latencies and rates of both servers: `rounds` rounds, floor and service taking turns, the median of each. */
export async function measureRates({ rounds, milliseconds }: { rounds: number; milliseconds: number }): Promise<Row[]> {
  const sides = [await openSide("floor"), await openSide("service")] as const;
  try {
    for (const side of sides) await round(side, milliseconds / 2, false); // so that neither is measured while it warms up
    for (let index = 0; index < rounds; index++) {
      for (const side of index % 2 === 0 ? sides : sides.toReversed()) await round(side, milliseconds, true);
    }
    return toRows(...sides);
  } finally {
    for (const { server, one, many } of sides) {
      for (const connection of [one, ...many]) connection.close();
      await server.end();
    }
  }
}

async function openSide(kind: Kind): Promise<Side> {
  const dataDir = newDataDir();
  const longRun = await seed(kind, dataDir);
  const server = await startServer(kind, dataDir);
  const one = await openConnection(server);
  const many = await Promise.all(Array.from({ length: callers }, () => openConnection(server)));
  const shortRun = await create(one, createRequest(server, { input_text: inputText }));
  await pollUntilFinished(one, getRequest(server, shortRun));
  const idleMemory = memoryOf(server.pid, "VmRSS") ?? Number.NaN;
  const values = { createP50: [], createP99: [], finishedP50: [], runsPerSecond: [], shortPolls: [], longPolls: [] };
  return { ...values, server, one, many, shortRun, longRun, idleMemory };
}

/** Puts a finished run with many messages into a data folder before its server starts. */
async function seed(kind: Kind, dataDir: string): Promise<string> {
  const id = randomUUID();
  const texts = Array.from({ length: longRunMessages }, (_, index) => `${index}: ${messageText}`);
  if (kind === "floor") {
    seedFloor(dataDir, id, floorAgentId, texts);
    return id;
  }
  const stores = openLocalStores({ dataDir });
  const { agent } = await starterAgent(stores.accounts, { freshKey: false });
  const now = Date.now();
  const turn = longRunMessages / 2;
  const run = { id, agentId: agent.id, organizationId: agent.organizationId, name: "seeded", createdAt: now };
  await stores.runs.create(
    { ...run, status: "finished", turn, updatedAt: now },
    texts.map((text, index) => ({
      turn: (index >> 1) + 1,
      role: index % 2 === 0 ? "input_to_agent" : "output_from_agent",
      text,
    })),
  );
  stores.close();
  return id;
}

async function round(side: Side, milliseconds: number, kept: boolean): Promise<void> {
  const { server, one, many } = side;
  const request = createRequest(server, { input_text: inputText });
  const creates = await hammer([one], request, 201, milliseconds);
  const runsPerSecond = await finishedPerSecond(server, many, request, milliseconds);
  const finished = await createAndPoll(server, one, request, milliseconds);
  const short = await hammer(many, getRequest(server, side.shortRun), 200, milliseconds);
  const long = await hammer(many, getRequest(server, side.longRun), 200, milliseconds);
  if (!kept) return;
  side.createP50.push(median(creates));
  side.createP99.push(quantile(creates, 0.99));
  side.finishedP50.push(median(finished));
  side.runsPerSecond.push(runsPerSecond);
  side.shortPolls.push((short.length / milliseconds) * 1_000);
  side.longPolls.push((long.length / milliseconds) * 1_000);
}

async function create(connection: Connection, request: Buffer): Promise<string> {
  const answer = await expectAnswer(connection, request, 201);
  return (JSON.parse(answer.text()) as { agent_id: string }).agent_id;
}

async function pollUntilFinished(connection: Connection, request: Buffer): Promise<void> {
  for (;;) {
    const text = (await expectAnswer(connection, request, 200)).text();
    if (text.includes('"loop_status":"finished"')) return;
    if (!text.includes('"loop_status":"running"')) throw new Error(`the run did not finish: ${text}`);
  }
}

/** Milliseconds from sending the create to the poll that shows `finished`, polling without pause. */
async function createAndPoll(
  server: Server,
  connection: Connection,
  request: Buffer,
  milliseconds: number,
): Promise<number[]> {
  const until = performance.now() + milliseconds;
  const times: number[] = [];
  while (performance.now() < until) {
    const begun = performance.now();
    const runId = await create(connection, request);
    await pollUntilFinished(connection, getRequest(server, runId));
    times.push(performance.now() - begun);
  }
  return times;
}

/**
 * Creates for so long without polling; then the database says when the last of them was finished. Both servers keep
 * `status`, `created_at` and `updated_at` in `runs`.
 */
async function finishedPerSecond(
  { dataDir }: Server,
  connections: Connection[],
  request: Buffer,
  milliseconds: number,
): Promise<number> {
  const begun = Date.now();
  const created = (await hammer(connections, request, 201, milliseconds)).length;
  const db = new DatabaseSync(join(dataDir, "runs.sqlite"), { readOnly: true });
  try {
    const done = db.prepare(
      "SELECT count(*) AS count, max(updated_at) AS last FROM runs WHERE status = 'finished' AND created_at >= ?",
    );
    for (let waits = 0; waits < 1_000; waits++) {
      const { count, last } = done.get(begun) as { count: number; last: number };
      if (count >= created) return (created / (last - begun)) * 1_000;
      await sleep(10);
    }
    throw new Error(`of ${created} runs not all were finished 10 s after the last create`);
  } finally {
    db.close();
  }
}

function toRows(floor: Side, service: Side): Row[] {
  const target = { timesFloor: 1.5 };
  const both = (name: string, unit: string, better: Row["better"], field: keyof Values): Row => {
    return { name, unit, better, floor: median(floor[field]), service: median(service[field]), target };
  };
  const memory = (name: string, of: (side: Side) => number): Row => {
    return { name, unit: "MB", better: "lower", floor: of(floor), service: of(service) };
  };
  return [
    both("create, median", "ms", "lower", "createP50"),
    both("create, 99th percentile", "ms", "lower", "createP99"),
    both("create → finished, median", "ms", "lower", "finishedP50"),
    both(`finished runs, ${callers} callers`, "/s", "higher", "runsPerSecond"),
    both(`polls of a run with 2 messages, ${callers} callers`, "/s", "higher", "shortPolls"),
    both(`polls of a run with ${longRunMessages} messages, ${callers} callers`, "/s", "higher", "longPolls"),
    memory("memory before", (side) => side.idleMemory),
    memory("memory after", (side) => memoryOf(side.server.pid, "VmRSS") ?? Number.NaN),
  ];
}

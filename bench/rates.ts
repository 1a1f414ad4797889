import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { seedStarterAgent } from "../src/accounts/seed.ts";
import { openLocalPlatform } from "../src/platform/local/index.ts";
import { seedFloor } from "./floor.ts";
import { type Connection, createRequest, expectAnswer, getRequest, hammer, openConnection } from "./load.ts";
import { floorAgentId, type Kind, memoryOf, newDataDir, type Server, startServer } from "./servers.ts";
import { median, quantile, type Row } from "./table.ts";

const callers = 16;
const inputText = "How many words does this input have?";
const longRunMessages = 200;
const messageText =
  "A message of a long run, about as long as one sentence of an answer or of a question to an agent is.";

interface Side {
  server: Server;
  one: Connection;
  many: Connection[];
  shortRun: string;
  longRun: string;
  /** MB before the first request. */
  idleMemory: number | undefined;
  /** Of all measurements and rounds. */
  samples: Sample[];
}

type Sample = Pick<Row, "name" | "unit"> & { value: number };

/** Sends load to one side for so many milliseconds. */
type Measurement = (side: Side, milliseconds: number) => Promise<Sample[]>;

const perSecond = (count: number, milliseconds: number): number => (count / milliseconds) * 1_000;

const measurements: Measurement[] = [
  async ({ server, one }, milliseconds) => {
    const times = await hammer([one], smallCreate(server), 201, milliseconds);
    return [
      { name: "create, median", unit: "ms", value: median(times) },
      { name: "create, 99th percentile", unit: "ms", value: quantile(times, 0.99) },
    ];
  },
  async (side, milliseconds) => [
    { name: "create → finished, median", unit: "ms", value: median(await createAndPoll(side, milliseconds)) },
  ],
  async (side, milliseconds) => [
    { name: `finished runs, ${callers} callers`, unit: "/s", value: await finishedPerSecond(side, milliseconds) },
  ],
  async ({ server, many, shortRun }, milliseconds) => {
    const polls = await hammer(many, getRequest(server, shortRun), 200, milliseconds);
    return [{ name: "polls of a run with 2 messages", unit: "/s", value: perSecond(polls.length, milliseconds) }];
  },
  async ({ server, many, longRun }, milliseconds) => {
    const polls = await hammer(many, getRequest(server, longRun), 200, milliseconds);
    const name = `polls of a run with ${longRunMessages} messages`;
    return [{ name, unit: "/s", value: perSecond(polls.length, milliseconds) }];
  },
];

/**
 * Latencies and rates of both servers. Floor and service alternate within each measurement, so that other load on the
 * machine affects both. Round 0 warms up.
 */
export async function measureRates({ rounds, milliseconds }: { rounds: number; milliseconds: number }): Promise<Row[]> {
  const sides = [await openSide("floor"), await openSide("service")] as const;
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const measure of measurements) {
        for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
          const samples = await measure(side, milliseconds);
          if (round > 0) side.samples.push(...samples);
        }
      }
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
  const shortRun = await seed(kind, dataDir, 2);
  const longRun = await seed(kind, dataDir, longRunMessages);
  const server = await startServer(kind, dataDir);
  const one = await openConnection(server);
  const many = await Promise.all(Array.from({ length: callers }, () => openConnection(server)));
  return { server, one, many, shortRun, longRun, idleMemory: memoryOf(server.pid, "VmRSS"), samples: [] };
}

const smallCreate = (server: Server): Buffer => createRequest(server, { input_text: inputText });

/** Adds a finished run to a data directory before its server starts. */
async function seed(kind: Kind, dataDir: string, messages: number): Promise<string> {
  const id = randomUUID();
  const texts = Array.from({ length: messages }, (_, index) => `${index}: ${messageText}`);
  if (kind === "floor") {
    seedFloor(dataDir, id, floorAgentId, texts);
    return id;
  }
  const stores = openLocalPlatform({ dataDir });
  const { agent } = await seedStarterAgent(stores.accounts, { newKey: false });
  const now = Date.now();
  const turn = messages / 2;
  const run = { id, agentId: agent.id, organizationId: agent.organizationId, name: "seeded", createdAt: now };
  await stores.runs.create(
    { ...run, status: "finished", turn, updatedAt: now, sequence: messages },
    texts.map((text, index) => ({
      turn: (index >> 1) + 1,
      role: index % 2 === 0 ? "input_to_agent" : "output_from_agent",
      text,
      sequence: index + 1,
      at: now,
    })),
  );
  stores.close();
  return id;
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

/** Milliseconds from sending the create to the first poll with `finished`. Polls without pause. */
async function createAndPoll({ server, one }: Side, milliseconds: number): Promise<number[]> {
  const until = performance.now() + milliseconds;
  const times: number[] = [];
  while (performance.now() < until) {
    const start = performance.now();
    const runId = await create(one, smallCreate(server));
    await pollUntilFinished(one, getRequest(server, runId));
    times.push(performance.now() - start);
  }
  return times;
}

/**
 * Sends creates without polling, then reads from the database when the last run finished. Both servers have the columns
 * `status`, `created_at` and `updated_at` in `runs`.
 */
async function finishedPerSecond({ server, many }: Side, milliseconds: number): Promise<number> {
  const begun = Date.now();
  const created = (await hammer(many, smallCreate(server), 201, milliseconds)).length;
  const db = new DatabaseSync(join(server.dataDir, "runs.sqlite"), { readOnly: true });
  try {
    const done = db.prepare(
      "SELECT count(*) AS count, max(updated_at) AS last FROM runs WHERE status = 'finished' AND created_at >= ?",
    );
    for (let waits = 0; waits < 1_000; waits++) {
      const { count, last } = done.get(begun) as { count: number; last: number };
      if (count >= created) return perSecond(created, last - begun);
      await sleep(10);
    }
    throw new Error(`some of ${created} runs were not finished 10 s after the last create`);
  } finally {
    db.close();
  }
}

function toRows(floor: Side, service: Side): Row[] {
  const names = new Map(service.samples.map(({ name, unit }) => [name, unit]));
  const valueOf = ({ samples }: Side, name: string): number =>
    median(samples.filter((sample) => sample.name === name).map(({ value }) => value));
  const memory = (name: string, of: (side: Side) => number | undefined): Row => {
    return { name, unit: "MB", floor: of(floor) ?? Number.NaN, service: of(service) ?? Number.NaN };
  };
  return [
    ...[...names].map(([name, unit]): Row => {
      return { name, unit, floor: valueOf(floor, name), service: valueOf(service, name), target: { timesFloor: 1.5 } };
    }),
    memory("memory before", ({ idleMemory }) => idleMemory),
    memory("memory after", ({ server }) => memoryOf(server.pid, "VmRSS")),
  ];
}

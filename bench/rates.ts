import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { seedStarterAgent } from "../src/accounts/seed.ts";
import { openLocalPlatform } from "../src/platform/local/open-platform.ts";
import { seedFloor } from "./floor.ts";
import { type Connection, createRequest, expectAnswer, getRequest, hammer, openConnection } from "./load.ts";
import { floorAgentId, type Kind, memoryOf, newDataDir, processorTimeOf, type Server, startServer } from "./servers.ts";
import { median, quantile, type Row } from "./table.ts";

const callers = 16;
const inputText = "How many words does this input have?";
const longRunMessages = 200;
const messageText =
  "A message of a long run, about as long as one sentence of an answer or of a question to an agent is.";

/** One of the two servers that are compared. */
export interface Side {
  server: Server;
  one: Connection;
  many: Connection[];
  /** A finished run with two messages. */
  shortRun: string;
  /** A run with `longRunMessages` messages. Undefined: polls of it are not measured. */
  longRun: string | undefined;
  /** MB before the first request. */
  idleMemory: number | undefined;
  /** Of all measurements and rounds. */
  samples: Sample[];
}

export interface Rounds {
  rounds: number;
  /** Of each measurement in a round. */
  milliseconds: number;
}

type Sample = Pick<Row, "name" | "unit"> & { value: number };

/** What a side did in so many milliseconds. `operations`: how many; the processor time is that of one. */
interface Measured {
  samples: Sample[];
  operations: number;
}

interface Measurement {
  /** What one operation is. */
  of: string;
  measure: (side: Side, milliseconds: number) => Promise<Measured>;
}

const perSecond = (count: number, milliseconds: number): number => (count / milliseconds) * 1_000;

const measurements: Measurement[] = [
  {
    of: "create",
    async measure({ server, one }, milliseconds) {
      const times = await hammer([one], smallCreate(server), 201, milliseconds);
      const samples: Sample[] = [
        { name: "create, median", unit: "ms", value: median(times) },
        { name: "create, 99th percentile", unit: "ms", value: quantile(times, 0.99) },
      ];
      return { samples, operations: times.length };
    },
  },
  {
    of: "create → finished",
    async measure(side, milliseconds) {
      const times = await createAndPoll(side, milliseconds);
      return {
        samples: [{ name: "create → finished, median", unit: "ms", value: median(times) }],
        operations: times.length,
      };
    },
  },
  {
    of: `finished run, ${callers} callers`,
    async measure(side, milliseconds) {
      const { rate, created } = await finishedRuns(side, milliseconds);
      return { samples: [{ name: `finished runs, ${callers} callers`, unit: "/s", value: rate }], operations: created };
    },
  },
  {
    of: "poll of a run with 2 messages",
    measure: ({ server, many, shortRun }, milliseconds) =>
      pollsPerSecond("polls of a run with 2 messages", many, getRequest(server, shortRun), milliseconds),
  },
  {
    of: `poll of a run with ${longRunMessages} messages`,
    async measure({ server, many, longRun }, milliseconds) {
      if (longRun === undefined) return { samples: [], operations: 0 };
      const name = `polls of a run with ${longRunMessages} messages`;
      return pollsPerSecond(name, many, getRequest(server, longRun), milliseconds);
    },
  },
];

/** Latencies and rates of the floor and of the service. */
export async function measureRates(options: Rounds): Promise<Row[]> {
  return compareSides([await openSeeded("floor"), await openSeeded("service")], options, { timesFloor: 1.5 });
}

/**
 * Compares two servers and ends them. They alternate within each measurement, so that other load on the machine affects
 * both. Round 0 warms up. `target`: of latencies and rates, for the second one against the first one.
 */
export async function compareSides(
  sides: [Side, Side],
  { rounds, milliseconds }: Rounds,
  target: Row["target"],
): Promise<Row[]> {
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const measurement of measurements) {
        for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
          const samples = await measured(measurement, side, milliseconds);
          if (round > 0) side.samples.push(...samples);
        }
      }
    }
    return toRows(...sides, target);
  } finally {
    for (const { server, one, many } of sides) {
      for (const connection of [one, ...many]) connection.close();
      await server.end();
    }
  }
}

async function measured({ of, measure }: Measurement, side: Side, milliseconds: number): Promise<Sample[]> {
  const before = processorTimeOf(side.server.pid);
  const { samples, operations } = await measure(side, milliseconds);
  const after = processorTimeOf(side.server.pid);
  if (operations === 0 || before === undefined || after === undefined) return samples;
  return [...samples, { name: `processor time: ${of}`, unit: "µs", value: ((after - before) / operations) * 1_000 }];
}

async function openSeeded(kind: Kind): Promise<Side> {
  const dataDir = newDataDir();
  const shortRun = await seed(kind, dataDir, 2);
  const longRun = await seed(kind, dataDir, longRunMessages);
  return openSide(await startServer(kind, dataDir), { shortRun, longRun });
}

/** Connects to a server. Each connection gets an answer: one on which nothing is sent is closed after 10 s. */
export async function openSide(server: Server, runs: Pick<Side, "shortRun" | "longRun">): Promise<Side> {
  const one = await openConnection(server);
  const many = await Promise.all(Array.from({ length: callers }, () => openConnection(server)));
  const poll = getRequest(server, runs.shortRun);
  await Promise.all([one, ...many].map((connection) => expectAnswer(connection, poll, 200)));
  return { server, one, many, ...runs, idleMemory: memoryOf(server.pid, "VmRSS"), samples: [] };
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

/** Creates a run over HTTP. Resolves with its id when it is finished. */
export async function createFinished(connection: Connection, server: Server): Promise<string> {
  const answer = await expectAnswer(connection, smallCreate(server), 201);
  const { agent_id: id } = JSON.parse(answer.text()) as { agent_id: string };
  await pollUntilFinished(connection, getRequest(server, id));
  return id;
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
    await createFinished(one, server);
    times.push(performance.now() - start);
  }
  return times;
}

/**
 * Sends creates without polling, then reads from the database when the last run finished. All servers have the columns
 * `status`, `created_at` and `updated_at` in `runs`. `rate`: finished runs per second.
 */
async function finishedRuns({ server, many }: Side, milliseconds: number): Promise<{ rate: number; created: number }> {
  const begun = Date.now();
  const created = (await hammer(many, smallCreate(server), 201, milliseconds)).length;
  const db = new DatabaseSync(join(server.dataDir, "runs.sqlite"), { readOnly: true });
  try {
    const done = db.prepare(
      "SELECT count(*) AS count, max(updated_at) AS last FROM runs WHERE status = 'finished' AND created_at >= ?",
    );
    for (let waits = 0; waits < 1_000; waits++) {
      const { count, last } = done.get(begun) as { count: number; last: number };
      if (count >= created) return { rate: perSecond(created, last - begun), created };
      await sleep(10);
    }
    throw new Error(`some of ${created} runs were not finished 10 s after the last create`);
  } finally {
    db.close();
  }
}

async function pollsPerSecond(
  name: string,
  connections: Connection[],
  request: Buffer,
  milliseconds: number,
): Promise<Measured> {
  const { length } = await hammer(connections, request, 200, milliseconds);
  return { samples: [{ name, unit: "/s", value: perSecond(length, milliseconds) }], operations: length };
}

function toRows(floor: Side, service: Side, target: Row["target"]): Row[] {
  const names = new Map(service.samples.map(({ name, unit }) => [name, unit]));
  const valueOf = ({ samples }: Side, name: string): number =>
    median(samples.filter((sample) => sample.name === name).map(({ value }) => value));
  const memory = (name: string, of: (side: Side) => number | undefined): Row => {
    return { name, unit: "MB", floor: of(floor) ?? Number.NaN, service: of(service) ?? Number.NaN };
  };
  return [
    ...[...names].map(([name, unit]): Row => {
      const row: Row = { name, unit, floor: valueOf(floor, name), service: valueOf(service, name) };
      if (unit !== "µs") row.target = target;
      return row;
    }),
    memory("memory before", ({ idleMemory }) => idleMemory),
    memory("memory after", ({ server }) => memoryOf(server.pid, "VmRSS")),
  ];
}

import { randomUUID } from "node:crypto";
import { createAgent } from "../src/accounts/agents.ts";
import { issueKey } from "../src/accounts/keys.ts";
import { ServiceError } from "../src/errors.ts";
import { openLocalPlatform } from "../src/platform/local/index.ts";
import { createWithSlot } from "../src/runs/admission.ts";
import type { Quotas } from "../src/runs/types.ts";
import { fakeAwsStores } from "../test/support/fake-aws/platform.ts";
import { type Connection, createRequest, expectAnswer, getRequest, openConnection } from "./load.ts";
import { newDataDir, type Server, startServer } from "./servers.ts";
import { quantile, type Row } from "./table.ts";

/**
 * - One agent's creates and polls while another agent's key floods the service: floor without a quota, service with
 *   `maxRunning` 10. The flood's runs take steps for 2 s.
 * - Runs per second of one agent with a quota on AWS. The table in memory answers after 10 ms and cancels transactions
 *   that overlap on an item, as DynamoDB documents. It knows neither DynamoDB's real latencies nor its throttling.
 */
export async function measureQuotas({ seconds }: { seconds: number }): Promise<Row[]> {
  const [without, within] = [await flooded(undefined, seconds), await flooded(10, seconds)];
  const rows: Row[] = [
    { name: "create p99 of another agent during a flood", unit: "ms", floor: without.create, service: within.create },
    { name: "poll p99 of another agent during a flood", unit: "ms", floor: without.poll, service: within.poll },
  ];
  for (const callers of [1, 4, 16]) {
    const { perSecond, rejected } = await countedRuns(callers, seconds);
    const name = `runs of an agent with a quota on AWS, ${callers} callers`;
    rows.push(
      { name, unit: "/s", service: perSecond },
      { name: "  of them answered 429", unit: "/s", service: rejected },
    );
  }
  return rows;
}

const floodConnections = 64;
const flood = { input_text: "demo: steps=20 delay=100" };

async function flooded(maxRunning: number | undefined, seconds: number): Promise<{ create: number; poll: number }> {
  const server = await startServer("service", newDataDir());
  const connections: Connection[] = [];
  const open = async (): Promise<Connection> => {
    const connection = await openConnection(server);
    connections.push(connection);
    return connection;
  };
  try {
    const flooder = await newAgent(server, maxRunning);
    const other = await open();
    const until = performance.now() + seconds * 1_000;
    const flooding = Array.from({ length: floodConnections }, async () => {
      const connection = await open();
      while (performance.now() < until) await connection.send(createRequest(flooder, flood));
    });
    const times = { create: [] as number[], poll: [] as number[] };
    while (performance.now() < until) {
      const created = await expectAnswer(other, createRequest(server, { input_text: "Hello." }), 201);
      const { agent_id: runId } = JSON.parse(created.text()) as { agent_id: string };
      const polled = await expectAnswer(other, getRequest(server, runId), 200);
      times.create.push(created.milliseconds);
      times.poll.push(polled.milliseconds);
    }
    await Promise.all(flooding);
    return { create: quantile(times.create, 0.99), poll: quantile(times.poll, 0.99) };
  } finally {
    for (const connection of connections) connection.close();
    await server.end();
  }
}

/** An agent beside the server's own, in the same organization. */
async function newAgent(server: Server, maxRunning: number | undefined): Promise<Server> {
  const { accounts, close } = openLocalPlatform({ dataDir: server.dataDir });
  const [organization] = await accounts.listOrganizations();
  const agent = await createAgent(accounts, organization?.id ?? "", {
    name: "Flood",
    instructions: "Work.",
    tools: ["write_file", "read_file", "list_files"],
    limits: { steps: 50, tokens: 1_000_000, seconds: 600 },
    ...(maxRunning !== undefined && { maxRunning }),
  });
  const { key } = await issueKey(accounts, agent);
  close();
  return { ...server, apiKey: key, templateId: agent.id };
}

async function countedRuns(callers: number, seconds: number): Promise<{ perSecond: number; rejected: number }> {
  const stores = fakeAwsStores(undefined, { delay: 10, conflicts: true });
  const owner = { agentId: randomUUID(), organizationId: randomUUID() };
  const quotas: Quotas = { scope: "agent", agent: { maxRunning: 100_000 }, organization: {} };
  const deps = { ...stores, workflow: { start: async () => {}, stop: async () => {} }, now: Date.now };
  const until = performance.now() + seconds * 1_000;
  let [ended, rejected] = [0, 0];

  async function oneRun(): Promise<void> {
    const now = Date.now();
    const times = { createdAt: now, updatedAt: now, sequence: 0 };
    const run = { id: randomUUID(), ...owner, name: "Run", status: "running" as const, turn: 1, ...times };
    try {
      await createWithSlot(deps, run, { messages: [], uploads: [] }, quotas);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      rejected++;
      return;
    }
    const expect = { status: "running", turn: 1 } as const;
    const set = { status: "finished", turn: 1, updatedAt: now } as const;
    const facts = { ...owner, quotaOf: "agent" } as const;
    // As a worker does, whose writes are repeated while the store is unavailable.
    while (!(await stores.runs.change({ runId: run.id, expect, set, facts }).catch(() => false)));
    ended++;
  }

  const calling = Array.from({ length: callers }, async () => {
    while (performance.now() < until) await oneRun();
  });
  await Promise.all(calling);
  return { perSecond: ended / seconds, rejected: rejected / seconds };
}

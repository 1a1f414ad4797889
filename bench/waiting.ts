import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent } from "../src/accounts/agents.ts";
import { issueKey } from "../src/accounts/keys.ts";
import { openLocalPlatform } from "../src/platform/local/index.ts";
import { type Connection, createRequest, expectAnswer, head, openConnection } from "./load.ts";
import { newDataDir, processorTimeOf, type Server, startServer } from "./servers.ts";
import { median, type Row } from "./table.ts";

const runs = 1_000;
const callers = 16;

/** The open call of a run that waits. */
interface OpenCall {
  run: string;
  id: string;
  arguments_sha256: string;
}

/**
 * Runs of an agent whose client tool waits for an answer. A create leads to the first model call and the record of the call that
 * waits; an answer to the result, the second model call and the end of the run. The floor of both together is a run of two
 * steps with a tool that runs at once.
 */
export async function measureWaiting({ rounds }: { rounds: number }): Promise<Row[]> {
  const server = await startServer("service", newDataDir());
  const agent = await agentWithClientTool(server);
  const connections = await Promise.all(Array.from({ length: callers }, () => openConnection(server)));
  try {
    const [created, answered, whole, idle, files] = [[], [], [], [], []] as [
      number[],
      number[],
      number[],
      number[],
      number[],
    ];
    const idleBefore = await idleTime(server);
    const filesBefore = openFiles(server);
    for (let round = 0; round <= rounds; round++) {
      const { milliseconds: uninterrupted } = await createAll(server, server, connections, "demo: steps=2 delay=0");
      const { ids, milliseconds: creating } = await createAll(server, agent, connections, "Where is order 7?");
      const calls = await openCalls(agent, connections, ids);
      const waiting = await idleTime(server);
      const open = openFiles(server);
      const answering = await answerAll(server, agent, connections, calls);
      if (round === 0) continue; // warms up
      whole.push(uninterrupted);
      created.push(creating);
      answered.push(answering);
      idle.push(waiting);
      files.push(open);
    }
    return [
      {
        name: "an answer and the rest of its run, processor time; floor: the create before",
        unit: "ms",
        floor: median(created) / runs,
        service: median(answered) / runs,
        target: { timesFloor: 2 },
      },
      {
        name: "a create and an answer, processor time; floor: a run with two steps that waits for nobody",
        unit: "ms",
        floor: median(whole) / runs,
        service: (median(created) + median(answered)) / runs,
        target: { timesFloor: 1 },
      },
      {
        name: `processor time of 2 s with ${runs} waiting runs; floor: without a run`,
        unit: "ms",
        floor: idleBefore,
        service: median(idle),
      },
      {
        name: `open files with ${runs} waiting runs; floor: without a run`,
        unit: "",
        floor: filesBefore,
        service: median(files),
      },
    ];
  } finally {
    for (const connection of connections) connection.close();
    await server.end();
  }
}

async function agentWithClientTool(server: Server): Promise<Server> {
  const { accounts, close } = openLocalPlatform({ dataDir: server.dataDir });
  const [organization] = await accounts.listOrganizations();
  const agent = await createAgent(accounts, organization?.id ?? "", {
    name: "Orders",
    instructions: "Find the order.",
    tools: [],
    clientTools: [
      {
        name: "find_order",
        description: "Finds an order.",
        input: { type: "object", properties: { order: { type: "integer" } }, required: ["order"] },
      },
    ],
    limits: { steps: 10, tokens: 100_000, seconds: 600 },
  });
  const { key } = await issueKey(accounts, agent);
  close();
  return { ...server, apiKey: key, templateId: agent.id };
}

async function createAll(
  server: Server,
  agent: Server,
  connections: Connection[],
  input: string,
): Promise<{ ids: string[]; milliseconds: number }> {
  const ids: string[] = [];
  let left = runs;
  const milliseconds = await processorTime(server, async () => {
    await each(connections, async (connection) => {
      while (left-- > 0) {
        const answer = await expectAnswer(connection, createRequest(agent, { input_text: input }), 201);
        ids.push((JSON.parse(answer.text()) as { agent_id: string }).agent_id);
      }
    });
    await quiet(server);
  });
  return { ids, milliseconds };
}

async function openCalls(agent: Server, connections: Connection[], ids: string[]): Promise<OpenCall[]> {
  const calls: OpenCall[] = [];
  const left = [...ids];
  await each(connections, async (connection) => {
    for (let run = left.pop(); run !== undefined; run = left.pop()) {
      const answer = await expectAnswer(connection, head("GET", `/ext/v1/runs/${run}`, agent.apiKey), 200);
      const {
        open_calls: [call],
      } = JSON.parse(answer.text()) as { open_calls: [Omit<OpenCall, "run">] };
      if (!call) throw new Error(`run ${run} waits for no answer`);
      calls.push({ ...call, run });
    }
  });
  return calls;
}

async function answerAll(server: Server, agent: Server, connections: Connection[], calls: OpenCall[]): Promise<number> {
  const left = [...calls];
  return processorTime(server, async () => {
    await each(connections, async (connection) => {
      for (let call = left.pop(); call; call = left.pop()) {
        const { run, id, arguments_sha256 } = call;
        const body = Buffer.from(JSON.stringify({ call: id, arguments_sha256, output: { found: true } }));
        const request = [head("POST", `/ext/v1/runs/${run}/answers`, agent.apiKey, body.length), body];
        await expectAnswer(connection, Buffer.concat(request), 200);
      }
    });
    await quiet(server);
  });
}

function each(connections: Connection[], work: (connection: Connection) => Promise<void>): Promise<void[]> {
  return Promise.all(connections.map(work));
}

async function processorTime(server: Server, work: () => Promise<void>): Promise<number> {
  const before = processorTimeOf(server.pid) ?? 0;
  await work();
  return (processorTimeOf(server.pid) ?? 0) - before;
}

/** Resolves when the server does nothing: all turns that were started wait, or have ended. */
async function quiet({ pid }: Server): Promise<void> {
  for (let before = -Infinity; ;) {
    const now = processorTimeOf(pid) ?? 0;
    if (now - before < 10) return;
    before = now;
    await sleep(200);
  }
}

async function idleTime(server: Server): Promise<number> {
  return processorTime(server, () => sleep(2_000));
}

function openFiles({ pid }: Server): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

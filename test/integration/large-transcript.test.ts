import { readFileSync } from "node:fs";
import { once } from "node:events";
import { Agent, type ClientRequest, get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { type LocalPlatform, openLocalPlatform } from "../../src/platform/local/open-platform.ts";
import type { TranscriptMessage } from "../../src/runs/run-types.ts";
import { type Service, startService } from "./service.ts";

const MiB = 1024 * 1024;

let service: Service;
let platform: LocalPlatform;
beforeAll(async () => {
  service = await startService();
  platform = openLocalPlatform({ dataDir: service.dataDir });
  return async () => {
    platform.close();
    await service[Symbol.asyncDispose]();
  };
});

/** Stores a finished run with these texts as inputs and outputs in turn. */
async function storeRun(texts: string[]): Promise<{ id: string; transcript: TranscriptMessage[] }> {
  const id = crypto.randomUUID();
  const { organizationId = "" } = (await platform.accounts.findAgent(service.templateId)) ?? {};
  const transcript = texts.map((message, index) => ({
    role: index % 2 === 0 ? ("input_to_agent" as const) : ("output_from_agent" as const),
    text: message,
  }));
  const turn = Math.ceil(texts.length / 2);
  const times = { createdAt: 1, updatedAt: 1 };
  const run = {
    id,
    agentId: service.templateId,
    organizationId,
    name: "n",
    status: "finished",
    turn,
    ...times,
  } as const;
  const messages = transcript.map((message, index) => ({
    ...message,
    turn: Math.floor(index / 2) + 1,
    sequence: index + 1,
    at: 1,
  }));
  expect(await platform.runs.create({ ...run, sequence: texts.length }, messages)).toBe("created");
  return { id, transcript };
}

/** Sends the request for a run, and ends this side of the connection. */
function request(id: string, version: string): Socket {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.end(`GET /v1/agents/${id} HTTP/${version}\r\nhost: h\r\nx-api-key: ${service.apiKey}\r\n\r\n`);
  return socket;
}

test("a transcript of any size and any characters is the same JSON", async () => {
  const odd = 'ö€🚀"\\\n\u0000\u2028</script>';
  for (const texts of [
    ["small", odd],
    [odd.repeat(40_000), "", `a${odd.repeat(40_000)}`, "ü".repeat(300_000), "€".repeat(300_001), "🚀".repeat(200_000)],
    Array.from({ length: 400 }, (_, index) => `${index} ${odd.repeat(100)}`),
    ["x".repeat(256 * 1024), "y"],
    ["", "z".repeat(2 * 256 * 1024)],
  ]) {
    const { id, transcript } = await storeRun(texts);
    const expected = JSON.stringify({ agent_id: id, loop_status: "finished", transcript });
    const response = await fetch(`${service.baseUrl}/v1/agents/${id}`, { headers: { "x-api-key": service.apiKey } });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect((await response.text()) === expected).toBe(true);
    const [, body = ""] = (await text(request(id, "1.0"))).split(/\r\n\r\n(.*)/s);
    expect(body === expected).toBe(true);
  }
});

test("polls of a large run use one connection", async () => {
  const { id } = await storeRun(["large text ".repeat(100_000)]);
  using agent = Object.assign(new Agent({ keepAlive: true, maxSockets: 1 }), {
    [Symbol.dispose]: () => agent.destroy(),
  });
  const poll = async (): Promise<ClientRequest> => {
    const sent = get(`${service.baseUrl}/v1/agents/${id}`, { agent, headers: { "x-api-key": service.apiKey } });
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    expect((await text(response)).length).toBeGreaterThan(1_100_000);
    return sent;
  };
  expect((await poll()).reusedSocket).toBe(false);
  await new Promise(setImmediate); // the agent gets its connection back
  expect((await poll()).reusedSocket).toBe(true);
});

function rss(): number {
  const [, kilobytes = "0"] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${service.child.pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

/** The most memory that the service holds over that before, while readers of these runs read nothing. */
async function heldByStalledReaders(ids: string[]): Promise<number> {
  const before = rss();
  const sockets = await Promise.all(
    ids.map(async (id) => {
      const socket = request(id, "1.1");
      await once(socket, "readable");
      return socket;
    }),
  );
  let most = 0;
  for (let sample = 0; sample < 20; sample++) {
    await sleep(50);
    most = Math.max(most, rss());
  }
  for (const socket of sockets) socket.destroy();
  return most - before;
}

test.skipIf(process.platform !== "linux")(
  "45 readers that read nothing of a run of 120 MB hold under 100 MB",
  async () => {
    const { id } = await storeRun(Array.from({ length: 12 }, () => "large text ".repeat(MiB)));
    expect(await heldByStalledReaders(Array.from({ length: 45 }, () => id))).toBeLessThan(100_000_000);
  },
);

test.skipIf(process.platform !== "linux")(
  "readers that read nothing of 24 runs of 11 MB hold under 100 MB",
  async () => {
    const ids: string[] = [];
    for (let count = 0; count < 24; count++) ids.push((await storeRun(["large text ".repeat(MiB)])).id);
    expect(await heldByStalledReaders(ids)).toBeLessThan(100_000_000);
  },
);

test("a run that is deleted while it is read is cut off, not ended", async () => {
  const { id } = await storeRun(Array.from({ length: 12 }, () => "large text ".repeat(MiB)));
  const socket = request(id, "1.1");
  await once(socket, "readable");
  const set = { status: "terminated", turn: 6, updatedAt: 2 } as const;
  await platform.runs.change({ runId: id, expect: { status: "finished", turn: 6 }, set });
  expect(await platform.runs.erase(id)).toBe(true);
  const received = await text(socket).catch((error: Error) => error.message);
  expect(received.endsWith("0\r\n\r\n")).toBe(false);
  const { hostname, port } = new URL(service.baseUrl);
  const again = await fetch(`http://${hostname}:${port}/v1/agents/${id}`, { headers: { "x-api-key": service.apiKey } });
  expect(await again.json()).toEqual({ agent_id: id, loop_status: "terminated", transcript: [] });
});

const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

test("the tokens of an agent's runs share what may wait for readers that do not read", async () => {
  const { id } = await storeRun(["a".repeat(10 * MiB)]);
  const events = `${service.baseUrl}/ext/v1/runs/${id}/events`;
  const asKey = bearer(service.apiKey);
  const newToken = async (): Promise<string> => {
    const response = await fetch(`${service.baseUrl}/ext/v1/runs/${id}/tokens`, { method: "POST", ...asKey });
    return ((await response.json()) as { token: string }).token;
  };
  const read = async (credential: RequestInit): Promise<number> =>
    (await (await fetch(events, credential)).text()).length;
  const { hostname, port } = new URL(events);
  const stalled: Socket[] = [];
  const stall = async (token: string): Promise<void> => {
    const socket = connect({ host: hostname, port: Number(port) });
    stalled.push(socket);
    socket.write(`GET /ext/v1/runs/${id}/events HTTP/1.1\r\nhost: h\r\nauthorization: Bearer ${token}\r\n\r\n`);
    await once(socket, "readable");
  };
  // 64 MiB may wait. A token leaves as much free as it holds: three responses of its own, and no part of a fourth.
  const greedy = await newToken();
  for (let count = 0; count < 3; count++) await stall(greedy);
  await expect(read(bearer(greedy))).rejects.toThrow("terminated");
  expect(await read(bearer(await newToken()))).toBeGreaterThan(10 * MiB);
  // Five responses of several tokens, and no part of a sixth.
  for (let count = 0; count < 2; count++) await stall(await newToken());
  await expect(read(bearer(await newToken()))).rejects.toThrow("terminated");
  expect(await read(asKey)).toBeGreaterThan(10 * MiB);
  for (const socket of stalled) socket.destroy();
});

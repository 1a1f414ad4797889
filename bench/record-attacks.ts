import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { finished, runs } from "./attacks.ts";
import type { Attack, Neighborhood } from "./neighbours-service.ts";

/** One request of an attack. */
interface Sent {
  method: string;
  path: string;
  body?: string | Buffer;
  /** Default: the key of the attacker's agent. */
  token?: string;
  headers?: Record<string, string>;
}

/** What the requests of an attack name. */
interface Target {
  place: Neighborhood;
  /** A run of three inputs of 9 MB. */
  large: string;
  /** An operator of the attacker's organization. */
  token: string;
}

const connections = 10;
/** Milliseconds of a poll, of the 99th percentile. */
const target = 50;

/** What one tenant can do with operations that read or write whole records. All requests are sent again at once. */
export const recordAttacks: Attack[] = [
  ...attacksOn("a run of 27 MB", largeRun, {
    "its transcript": ({ large }) => ({ method: "GET", path: `/v1/agents/${large}` }),
    "its events": ({ large }) => ({ method: "GET", path: `/ext/v1/runs/${large}/events?limit=200` }),
    "its events by an operator": operators("GET", "events?limit=200"),
    "its bundle": operators("GET", "export"),
    "a comparison of its turns": ({ large, token }) => ({
      method: "GET",
      path: `/manage/v1/runs/${large}/comparison?turn=1&other_run_id=${large}&other_turn=2`,
      token,
    }),
    "its model requests": operators("GET", "request?at=3.1"),
    "forks at a step that it does not have": operators("POST", "fork", { at: "9.9" }),
    "get_run of MCP": ({ large }) => tool("get_run", { run_id: large }),
  }),
  ...attacksOn("300 runs, of which 50 have an output of 8 MB", manyRuns, {
    "trials of 500 runs": ({ place, token }) => ({
      method: "POST",
      path: `/manage/v1/agents/${place.attacker.agentId}/trials`,
      body: JSON.stringify({ last: 500, version: 1, budget: { tokens: 1_000_000 } }),
      token,
    }),
  }),
  ...attacksOn("small runs", smallRun, {
    "results of hostile schemas": () => ({
      method: "POST",
      path: "/ext/v1/runs",
      body: JSON.stringify({ name: "schema", input_text: "Hello", result_schema: hostileSchema }),
    }),
    "bodies nested 5,000,000 deep": () => ({ method: "POST", path: "/ext/v1/runs", body: nestedBody }),
    "bodies with a text of 18 MB": () => ({ method: "POST", path: "/v1/agents", body: longBody }),
  }),
  ...attacksOn("small runs", smallRun, { polls: ({ large }) => ({ method: "GET", path: `/v1/agents/${large}` }) }, 300),
  ...attacksOn("small runs", smallRun, { creates: () => create("Hello") }, 60),
  ...attacksOn("small runs", smallRun, { "tools/list of MCP": () => rpc("tools/list", {}) }, 40),
  { name: "6 runs whose model answers 8 MB", measured: "polls", target, begin: longAnswers },
];

function attacksOn(
  what: string,
  prepare: (place: Neighborhood) => Promise<string>,
  kinds: Record<string, (target: Target) => Sent>,
  count = connections,
): Attack[] {
  return Object.entries(kinds).map(([kind, sent]) => ({
    name: `${count} connections, ${what}: ${kind}`,
    measured: "polls",
    target,
    async begin(place) {
      const large = await prepare(place);
      return repeat(place, count, sent({ place, large, token: place.operatorToken }));
    },
  }));
}

function operators(method: string, path: string, body?: object): (target: Target) => Sent {
  return ({ large, token }) => ({
    method,
    path: `/manage/v1/runs/${large}/${path}`,
    token,
    ...(body && { body: JSON.stringify(body) }),
  });
}

function create(input_text: string): Sent {
  return { method: "POST", path: "/ext/v1/runs", body: JSON.stringify({ name: "attack", input_text }) };
}

function tool(name: string, args: object): Sent {
  return rpc("tools/call", { name, arguments: args });
}

function rpc(method: string, params: object): Sent {
  const headers = { accept: "application/json, text/event-stream" };
  return { method: "POST", path: "/mcp", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), headers };
}

/** 16 patterns that take 250 ms each to compile. */
const hostileSchema = {
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: 16 }, (_, n) => {
      const pattern = Array.from({ length: 70 }, (__, k) => `(a${n}${String(k).padStart(2, "0")}{1000})`).join("");
      return [`p${n}`, { type: "string", pattern: pattern.slice(0, pattern.lastIndexOf("(", 990)) }];
    }),
  ),
};
const nestedBody = Buffer.from(`{"name":"x","input_text":"x","labels":${"[".repeat(5e6)}${"]".repeat(5e6)}}`);
const longBody = Buffer.from(JSON.stringify({ name: "x", template_id: "x", input_text: "é".repeat(9e6) }));

/** Sends a request over and over on each connection, and reads the responses without keeping them. Resolves with its end. */
function repeat(place: Neighborhood, count: number, sent: Sent): () => void {
  const agent = new Agent({ keepAlive: true, maxSockets: count });
  const ended = new AbortController();
  const next = async (): Promise<void> => {
    while (!ended.signal.aborted) if ((await statusOf(place, agent, sent)) === 429) await sleep(50);
  };
  for (let n = 0; n < count; n++) void next();
  return () => {
    ended.abort();
    agent.destroy();
  };
}

/** 0: there was no response. */
function statusOf({ server, attacker }: Neighborhood, agent: Agent, sent: Sent): Promise<number> {
  const { method, path, body, token = attacker.apiKey, headers } = sent;
  const all = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }), ...headers };
  return new Promise((resolve) => {
    request({ host: "127.0.0.1", port: server.port, method, path, agent, headers: all }, (response) => {
      response.resume().once("close", () => resolve(response.statusCode ?? 0));
    })
      .once("error", () => resolve(0))
      .end(body);
  });
}

async function smallRun(place: Neighborhood): Promise<string> {
  return finished(place, (await place.call(place.attacker, "POST", "/ext/v1/runs", input("Hello"))).body);
}

async function largeRun(place: Neighborhood): Promise<string> {
  const { call, attacker } = place;
  const id = await finished(place, (await call(attacker, "POST", "/ext/v1/runs", longInput("x"))).body);
  for (const letter of ["y", "z"]) {
    await call(attacker, "POST", `/ext/v1/runs/${id}/input`, longInput(letter));
    await finished(place, { id });
  }
  return id;
}

async function manyRuns(place: Neighborhood): Promise<string> {
  await runs(place, 250, "Hello");
  await runs(place, 50, "long 8000000");
  return smallRun(place);
}

async function longAnswers(place: Neighborhood): Promise<() => void> {
  const ended = new AbortController();
  const next = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const { body } = await place.call(place.attacker, "POST", "/ext/v1/runs", input("long 8000000"));
      await finished(place, body);
    }
  };
  for (let n = 0; n < 6; n++) void next().catch(() => {});
  return () => ended.abort();
}

function longInput(letter: string): object {
  return input(letter.repeat(9_000_000));
}

function input(input_text: string): object {
  return { name: "attack", input_text };
}

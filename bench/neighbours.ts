import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { hostileDocuments } from "../test/fixtures/hostile-documents.ts";
import type { Measured, Neighbor } from "./neighbour.ts";
import { type Neighborhood, openNeighborhood } from "./neighbours-service.ts";
import { memoryOf } from "./servers.ts";
import { quantile, type Row } from "./table.ts";

/** What one tenant does, and what another one notices. */
interface Attack {
  name: string;
  measured: Measured;
  more?: Partial<Neighbor>;
  /** Of the slowest measurement; of polls, of the 99th percentile. Milliseconds. */
  target: number;
  /** Resolves when the attack is under way, with a function that ends what the end of the service does not. */
  begin: (place: Neighborhood) => Promise<(() => void) | void>;
}

const seconds = { polls: 100, program: 60 };
const megabyte = 1024 * 1024;
const program = (code: string, limit: number) => ["run_javascript", { code, seconds: limit }];
const sixteen = (call: unknown) => Array.from({ length: 16 }, () => call);
const calls = (...list: unknown[]) => `calls ${JSON.stringify(list)}`;
const document = (filename: string, content: Buffer) => ({ filename, content_base64: content.toString("base64") });
const answer = document("answer.rtf", Buffer.from("{\\rtf1 42}"));
const [{ content: endlessDocument }] = hostileDocuments as [(typeof hostileDocuments)[number]];

const attacks: Attack[] = [
  { name: "nothing", measured: "polls", target: seconds.polls, begin: async () => {} },
  {
    name: "3 runs with 16 endless programs",
    measured: "runs",
    more: { input: calls(program("1 + 1", 10)) },
    target: 1_000,
    begin: (place) => runs(place, 3, calls(...sixteen(program("while (true) {}", seconds.program)))),
  },
  {
    name: "3 runs with 16 endless PDFs",
    measured: "runs",
    more: { input: calls(["read_file", { name: answer.filename }]), file: answer },
    target: 1_000,
    begin: (place) =>
      runs(place, 3, calls(...sixteen(["read_file", { name: "endless.pdf" }])), {
        files: [document("endless.pdf", endlessDocument())],
      }),
  },
  { name: "1,050 slow turns", measured: "runs", target: 1_000, begin: (place) => runs(place, 1_050, "slow 120000") },
  { name: "60 agents with silent receivers", measured: "messages", target: 2_000, begin: silentReceivers },
  { name: "20 connections that list and search", measured: "polls", target: seconds.polls, begin: listsAndSearches },
  { name: "150 bodies without a key", measured: "polls", target: seconds.polls, begin: bodiesWithoutKey },
  { name: "20 reads without a key of a large run", measured: "polls", target: seconds.polls, begin: readsWithoutKey },
  { name: "45 readers that read nothing", measured: "polls", target: seconds.polls, begin: stalledReaders },
];

/** What a tenant notices of each attack by another one. Each gets a new service. `folder`: its checkout. */
export async function measureNeighbours({
  seconds: duration,
  folder,
}: {
  seconds: number;
  folder?: string | undefined;
}): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, measured, more, target, begin } of attacks) {
    await using place = await openNeighborhood(folder);
    const { pid } = place.server;
    const before = memoryOf(pid, "VmRSS");
    const end = await begin(place);
    await sleep(1_000);
    const times = await place.notices(measured, duration * 1_000, more);
    const peak = memoryOf(pid, "VmHWM");
    end?.();
    const worst = measured === "polls" ? 0.99 : 1;
    for (const [label, q] of [
      ["p50", 0.5],
      ["p99", 0.99],
      ["max", 1],
    ] as const) {
      const limit = q === worst && { target: { atMost: target } };
      rows.push({ name: `${name}: ${measured}, ${label}`, unit: "ms", service: quantile(times, q), ...limit });
    }
    if (before !== undefined && peak !== undefined)
      rows.push({ name: `${name}: memory over idle, peak`, unit: "MB", service: peak - before });
  }
  return rows;
}

async function runs({ call, attacker }: Neighborhood, count: number, input_text: string, more = {}): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const { status } = await call(attacker, "POST", "/ext/v1/runs", { name: "attack", input_text, ...more });
      if (status === 429) await sleep(100); // of the request rate
      if (status === 429) left++;
      else if (status !== 201) throw new Error(`the create of an attack answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, 20) }, worker));
}

async function silentReceivers(place: Neighborhood): Promise<() => void> {
  const receiver = createServer(() => {}).listen(0, "127.0.0.1");
  await new Promise((resolve) => receiver.once("listening", resolve));
  const { port } = receiver.address() as AddressInfo;
  for (let n = 0; n < 60; n++) {
    const attacker = await place.attackerWithWebhook(`http://127.0.0.1:${port}/${n}`);
    await runs({ ...place, attacker }, 6, "Hello");
  }
  return () => receiver.close().closeAllConnections();
}

async function listsAndSearches(place: Neighborhood): Promise<() => void> {
  await runs(place, 3_000, "Hello");
  const ended = new AbortController();
  const paths = [
    "/ext/v1/runs?limit=100&status=technical_error",
    "/ext/v1/runs?limit=100&q=nothing",
    "/ext/v1/runs?limit=100",
  ];
  for (let n = 0; n < 20; n++) {
    void (async () => {
      while (!ended.signal.aborted) {
        const { status } = await place
          .call(place.attacker, "GET", paths[n % paths.length] ?? "")
          .catch(() => ({ status: 0 }));
        if (status !== 200) await sleep(10);
      }
    })();
  }
  return () => ended.abort();
}

async function bodiesWithoutKey({ server }: Neighborhood): Promise<() => void> {
  const request = head("POST /v1/agents", `Content-Type: application/json\r\nContent-Length: ${20 * megabyte}\r\n`);
  const part = Buffer.alloc(megabyte, " ");
  return open(server.port, 150, (socket) => {
    socket.write(request);
    for (let sent = 0; sent < 19; sent++) socket.write(part);
    socket.resume();
  });
}

async function readsWithoutKey(place: Neighborhood): Promise<() => void> {
  const id = await largeRun(place);
  const request = head(`GET /v1/agents/${id}`);
  return open(place.server.port, 20, (socket) => {
    socket.on("data", () => socket.write(request)); // an answer, or a part of it
    socket.write(request);
  });
}

async function stalledReaders(place: Neighborhood): Promise<() => void> {
  const id = await largeRun(place);
  const request = head(`GET /v1/agents/${id}`, `Authorization: Bearer ${place.attacker.apiKey}\r\n`);
  return open(place.server.port, 45, (socket) => {
    socket.pause();
    socket.write(request);
  });
}

function head(line: string, more = ""): string {
  return `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n`;
}

/** Opens connections. Resolves with a function that closes them. */
async function open(port: number, count: number, use: (socket: Socket) => void): Promise<() => void> {
  const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1").on("error", () => {}));
  for (const socket of sockets) socket.once("connect", () => use(socket));
  await sleep(1_000);
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

/** A run with twelve inputs of 10 MB, or as many as the service accepts. */
async function largeRun({ call, attacker }: Neighborhood): Promise<string> {
  const input_text = "x".repeat(10_000_000);
  const { body } = await call(attacker, "POST", "/ext/v1/runs", { name: "large", input_text });
  for (let more = 0; more < 11; more++) {
    const { status } = await call(attacker, "POST", `/ext/v1/runs/${body.id}/input`, { input_text });
    if (status >= 300) break;
  }
  for (let polls = 0; polls < 600; polls++) {
    const { body: run } = await call(attacker, "GET", `/ext/v1/runs/${body.id}`);
    if (run.status !== "running") break;
    await sleep(100);
  }
  return body.id ?? "";
}

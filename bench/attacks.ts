import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { hostileDocuments } from "../test/fixtures/hostile-documents.ts";
import type { Answer, Attack, Neighborhood } from "./neighbours-service.ts";

const seconds = { polls: 100, program: 60 };
const megabyte = 1024 * 1024;
const program = (code: string, limit: number) => ["run_javascript", { code, seconds: limit }];
const sixteen = (call: unknown) => Array.from({ length: 16 }, () => call);
const calls = (...list: unknown[]) => `calls ${JSON.stringify(list)}`;
const document = (filename: string, content: Buffer) => ({ filename, content_base64: content.toString("base64") });
const answer = document("answer.rtf", Buffer.from("{\\rtf1 42}"));
const [{ content: endlessDocument }] = hostileDocuments as [(typeof hostileDocuments)[number]];

/** What one tenant can do with small requests, programs, documents and connections. */
export const attacks: Attack[] = [
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

/** Creates runs of the attacker. */
export async function runs(
  { call, attacker }: Neighborhood,
  count: number,
  input_text: string,
  more = {},
): Promise<void> {
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
async function largeRun(place: Neighborhood): Promise<string> {
  const { call, attacker } = place;
  const input_text = "x".repeat(10_000_000);
  const { body } = await call(attacker, "POST", "/ext/v1/runs", { name: "large", input_text });
  for (let more = 0; more < 11; more++) {
    const { status } = await call(attacker, "POST", `/ext/v1/runs/${body.id}/input`, { input_text });
    if (status >= 300) break;
  }
  return finished(place, body);
}

/** Resolves with the ID of a run of the attacker when no turn of it is in progress. */
export async function finished({ call, attacker }: Neighborhood, { id = "" }: Answer): Promise<string> {
  for (let polls = 0; polls < 1_200; polls++) {
    const { body } = await call(attacker, "GET", `/ext/v1/runs/${id}`);
    if (body.status !== "running") return id;
    await sleep(50);
  }
  throw new Error(`run ${id} of an attack did not finish`);
}

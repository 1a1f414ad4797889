import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expectAnswer, head, openConnection } from "./load.ts";

// node bench/neighbour.ts JSON: what a neighbor of an attack notices, measured in its own process, so that the attacker's
// load delays no timer here. Prints the milliseconds of each measurement as JSON.

/** `polls` of a run, `runs` until they are finished, or `messages` until the webhook's receiver has them. */
export type Measured = "polls" | "runs" | "messages";

export interface Neighbor {
  port: number;
  apiKey: string;
  measured: Measured;
  /** Of the runs. `file`: a document that they read. */
  input: string;
  file?: { filename: string; content_base64: string };
  /** Port that the webhook of the agent leads to. */
  receiver: number;
  milliseconds: number;
}

const pollMilliseconds = 20;
const neighbor = JSON.parse(process.argv[2] ?? "") as Neighbor;
const { apiKey, measured, input, file, milliseconds } = neighbor;
const connection = await openConnection(neighbor);
const times: number[] = [];
const arrivals = new Map<string, () => void>();

const receiver = createServer((request, response) => {
  void text(request).then((body) => {
    response.writeHead(204).end();
    arrivals.get((JSON.parse(body) as { data: { run_id: string } }).data.run_id)?.();
  });
}).listen(neighbor.receiver, "127.0.0.1");

const run = measured === "polls" ? await create() : "";
const until = performance.now() + milliseconds;
do {
  const startedAt = performance.now();
  if (measured === "polls") {
    await read(run);
  } else if (measured === "runs") {
    await finished(await create());
  } else {
    const id = await create();
    await new Promise<void>((resolve) => arrivals.set(id, resolve));
  }
  times.push(performance.now() - startedAt);
  await sleep(pollMilliseconds);
} while (performance.now() < until);
console.log(JSON.stringify(times));
connection.close();
receiver.close();
receiver.closeAllConnections();

async function create(): Promise<string> {
  const fields = { name: "neighbor", input_text: input, ...(file && { files: [file] }) };
  const body = Buffer.from(JSON.stringify(fields));
  const request = Buffer.concat([head("POST", "/ext/v1/runs", apiKey, body.length), body]);
  return (JSON.parse((await expectAnswer(connection, request, 201)).text()) as { id: string }).id;
}

async function read(id: string): Promise<string> {
  return (await expectAnswer(connection, head("GET", `/v1/agents/${id}`, apiKey), 200)).text();
}

async function finished(id: string): Promise<void> {
  while ((await read(id)).includes('"loop_status":"running"')) await sleep(10);
}

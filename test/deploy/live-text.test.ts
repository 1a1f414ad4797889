import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chatServer, chunk, send, startStream } from "../providers/chat-completions-server.ts";
import { type Agent, type Deployed, openDeployed, server } from "./deployed.ts";

/** Model calls in progress, in the order of their arrival. */
const calls: ServerResponse[] = [];

function reply(response: ServerResponse): void {
  startStream(response);
  calls.push(response);
}

let deployed: Deployed;
let model: Awaited<ReturnType<typeof chatServer>>;
let agent: Agent;
beforeAll(async () => {
  deployed = await openDeployed();
  model = await chatServer(...Array.from({ length: 10 }, () => reply));
  agent = await deployed.newAgent(...server(model.baseUrl));
});
afterAll(async () => {
  await model[Symbol.asyncDispose]();
  deployed.close();
});

async function nextCall(): Promise<ServerResponse> {
  await expect.poll(() => calls.length, { timeout: 60_000 }).toBeGreaterThan(0);
  const call = calls.shift();
  if (!call) throw new Error("no model call");
  return call;
}

const writes = (call: ServerResponse, text: string): void => send(call, chunk({ content: text }));

function finishes(call: ServerResponse): void {
  send(call, chunk({}, { finish_reason: "stop" }), "[DONE]");
  call.end();
}

/** Reads the stream of a run as its clients do: again and again, after the time that it names. */
async function follow(runId: string, onDelta: (text: string) => void) {
  const responses: string[] = [];
  for (let ended = false; !ended; ended = responses.at(-1)?.includes("event: end") ?? true) {
    const headers = { authorization: `Bearer ${agent.key}`, accept: "text/event-stream" };
    const response = await fetch(`${deployed.baseUrl}/ext/v1/runs/${runId}/events`, { headers });
    const text = await response.text();
    responses.push(text);
    const [, delta] = /^event: delta\ndata: (.*)$/m.exec(text) ?? [];
    if (delta !== undefined) onDelta((JSON.parse(delta) as { text: string }).text);
    await sleep(Number([...text.matchAll(/^retry: (\d+)$/gm)].at(-1)?.[1]));
  }
  return responses;
}

const sortKeys = async (runId: string) => (await deployed.itemsOf(runId)).map(({ sk }) => sk);

test("a stream has the text of an answer while it is written, and a run without a reader stores none", async () => {
  const unwatched = await agent.api.create("Write.");
  const unseen = await nextCall();
  writes(unseen, "Unseen");
  const runId = await agent.api.create("Write.");
  const shown = { text: "" };
  const following = follow(runId, (text) => void (shown.text = text));
  const call = await nextCall();
  writes(call, "Once upon");
  await expect.poll(() => shown.text, { timeout: 30_000 }).toBe("Once upon");
  expect(await sortKeys(runId)).toContain("TEXT");
  writes(call, " a time");
  await expect.poll(() => shown.text, { timeout: 30_000 }).toBe("Once upon a time");
  finishes(call);
  const last = (await following).at(-1);
  expect(last).toContain('"text":"Once upon a time"');
  expect(last).not.toContain("event: delta");
  finishes(unseen);
  await agent.api.ended(unwatched);
  expect(await sortKeys(unwatched)).not.toContain("TEXT");
});

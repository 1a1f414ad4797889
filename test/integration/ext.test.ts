import { beforeAll, expect, test } from "vitest";
import { createParser } from "eventsource-parser";
import { type Service, startService } from "./service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
  return () => service[Symbol.asyncDispose]();
});

interface Run {
  id: string;
  status: string;
  sequence: number;
}

async function call<Body = Run>(path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.baseUrl}/ext/v1${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json", ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
}

/** Reads a stream until it has `bytes`, then cuts it. Resolves with the events that arrived whole, and whether it ended. */
async function readUntilCut(runId: string, lastId: string | undefined, bytes: number) {
  const cut = new AbortController();
  const headers = { authorization: `Bearer ${service.apiKey}`, accept: "text/event-stream" };
  const response = await fetch(`${service.baseUrl}/ext/v1/runs/${runId}/events`, {
    headers: lastId === undefined ? headers : { ...headers, "last-event-id": lastId },
    signal: cut.signal,
  });
  const received: { id: string; data: unknown }[] = [];
  let ended: unknown;
  const parser = createParser({
    onEvent({ event, id = "", data }) {
      if (event === "event") received.push({ id, data: JSON.parse(data) });
      if (event === "end") ended = JSON.parse(data);
    },
  });
  const decoder = new TextDecoder();
  let left = bytes;
  for await (const chunk of response.body ?? []) {
    const part = (chunk as Uint8Array).subarray(0, left);
    parser.feed(decoder.decode(part, { stream: true }));
    left -= part.length;
    if (left === 0) break;
  }
  cut.abort();
  return { received, ended };
}

test("a stream that is cut 100 times delivers every event once and in order, and ends", async () => {
  const { body: run } = await call("/runs", { name: "Long", input_text: "Work.\ndemo: steps=45 delay=30" });
  const events: unknown[] = [];
  let lastId: string | undefined;
  let ended: unknown;
  for (let cuts = 0; ended === undefined; cuts++) {
    // Anywhere in one of the first messages; the message with the run has about 1,100 bytes.
    const bytes = cuts < 100 ? 300 + ((cuts * 619) % 2_000) : Infinity;
    const connection = await readUntilCut(run.id, lastId, bytes);
    for (const { id, data } of connection.received) {
      lastId = id;
      events.push(data);
    }
    ({ ended } = connection);
    if (cuts < 100) expect(ended).toBeUndefined();
  }
  expect(ended).toEqual({ status: "finished" });
  const { body: listed } = await call<{ data: unknown[] }>(`/runs/${run.id}/events?limit=1000`);
  expect(events).toEqual(listed.data);
  const { body: after } = await call(`/runs/${run.id}`);
  expect(after).toMatchObject({ status: "finished", sequence: events.length });
});

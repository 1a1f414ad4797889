import { setTimeout as sleep } from "node:timers/promises";
import { asObject, describe, expect, Mismatch } from "../expect.ts";
import type { Target } from "../types.ts";
import { ext } from "./client.ts";

/** A message of a stream of server-sent events. */
export interface Message {
  event: string;
  id?: string;
  data: Record<string, unknown>;
}

/** The messages of one response. */
export async function readStream(target: Target, id: string, lastEventId?: string): Promise<Message[]> {
  const headers = { accept: "text/event-stream", ...(lastEventId !== undefined && { "last-event-id": lastEventId }) };
  const response = await ext(target, `GET /runs/${id}/events`, { headers });
  const isStream = response.status === 200 && /^text\/event-stream\b/.test(response.contentType);
  expect(isStream, "200 text/event-stream", describe(response));
  return response.text.split("\n\n").flatMap(parse);
}

function parse(block: string): Message[] {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, value);
  }
  const data = fields.get("data");
  if (data === undefined) return [];
  const id = fields.get("id");
  return [
    {
      event: fields.get("event") ?? "message",
      ...(id !== undefined && { id }),
      data: asObject(JSON.parse(data) as unknown),
    },
  ];
}

/** The messages with an event until the end of a run. Connects again after each response, as a client does. */
export async function followToEnd(target: Target, id: string): Promise<Message[]> {
  const deadline = Date.now() + target.timeoutSeconds * 1_000;
  const received: Message[] = [];
  while (Date.now() < deadline) {
    const messages = await readStream(target, id, received.at(-1)?.id);
    received.push(...messages.filter(({ event }) => event === "event"));
    if (messages.some(({ event }) => event === "end")) return received;
    await sleep(500);
  }
  throw new Mismatch(`a stream that ends within ${target.timeoutSeconds} s (--timeout)`, `${received.length} events`);
}

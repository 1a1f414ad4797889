import type { ServerResponse } from "node:http";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Schemas } from "../../../src/ext/call.ts";
import { startRun } from "../../support/ext-runs.ts";
import { type ExtService, extService } from "../../support/ext-service.ts";
import { chatServer, chunk, send, startStream } from "../../providers/chat-completions-server.ts";

/** Model calls in progress, in the order of their arrival. */
const calls: ServerResponse[] = [];
const model = await chatServer(
  ...Array.from({ length: 100 }, () => (response: ServerResponse) => {
    startStream(response);
    calls.push(response);
  }),
);

let service: ExtService;
beforeAll(async () => {
  const provider = { provider: "openai-compatible", baseUrl: model.baseUrl, model: "m", enabled: true } as const;
  service = await extService({ model: provider });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** The next model call. */
async function nextCall(): Promise<ServerResponse> {
  await expect.poll(() => calls.length).toBeGreaterThan(0);
  const call = calls.shift();
  if (!call) throw new Error("no model call");
  return call;
}

const writes = (call: ServerResponse, text: string): void => send(call, chunk({ content: text }));

function finishes(call: ServerResponse): void {
  send(call, chunk({}, { finish_reason: "stop" }), "[DONE]");
  call.end();
}

interface Delta {
  turn: number;
  step: number;
  from: number;
  text: string;
}

/** The messages of a stream of events, as they arrive. `text`: what a reader shows of the answer in progress. */
function follow(id: string) {
  const leave = new AbortController();
  const messages: EventSourceMessage[] = [];
  const shown = { text: "" };
  const parser = createParser({
    onEvent(message) {
      messages.push(message);
      if (message.event !== "delta") return;
      const { from, text } = JSON.parse(message.data) as Delta;
      shown.text = shown.text.slice(0, from) + text;
    },
  });
  const done = (async () => {
    const headers = { authorization: `Bearer ${service.apiKey}`, accept: "text/event-stream" };
    const response = await fetch(`${service.baseUrl}/ext/v1/runs/${id}/events`, { headers, signal: leave.signal });
    const decoder = new TextDecoder();
    for await (const part of response.body ?? []) parser.feed(decoder.decode(part as Uint8Array, { stream: true }));
  })().catch(() => {});
  return { messages, shown, done, [Symbol.dispose]: () => leave.abort() };
}

const events = (messages: EventSourceMessage[]) =>
  messages.flatMap(({ event, data }) => (event === "event" ? [JSON.parse(data) as Schemas["Event"]] : []));

describe("a stream of events", () => {
  test("has the text while it is written, and then the recorded answer; nothing of the text is an event", async () => {
    const id = await startRun(service, { input_text: "Write." });
    using reader = follow(id);
    const call = await nextCall();
    writes(call, "Once upon");
    await expect.poll(() => reader.shown.text).toBe("Once upon");
    using late = follow(id); // a reader that comes later has all of it
    await expect.poll(() => late.shown.text).toBe("Once upon");
    writes(call, " a time, 🦊");
    await expect
      .poll(() => [reader.shown.text, late.shown.text])
      .toEqual(["Once upon a time, 🦊", "Once upon a time, 🦊"]);
    finishes(call);
    await reader.done;
    const recorded = events(reader.messages);
    expect(recorded.map(({ type }) => type)).toEqual(["input", "model_call", "output"]);
    expect(recorded[1]).toMatchObject({ text: reader.shown.text });
    const { body } = await service.call<Schemas["EventPage"]>("GET", `/runs/${id}/events`);
    expect(body.data).toEqual(recorded);
  });

  test("begins the text again when the call is repeated", async () => {
    const id = await startRun(service, { input_text: "Write." });
    using reader = follow(id);
    const first = await nextCall();
    writes(first, "A first attempt");
    await expect.poll(() => reader.shown.text).toBe("A first attempt");
    first.destroy();
    const second = await nextCall();
    writes(second, "Again");
    await expect.poll(() => reader.shown.text).toBe("Again");
    finishes(second);
    await reader.done;
    expect(events(reader.messages).map(({ type }) => type)).toEqual([
      "input",
      "model_call_failed",
      "model_call",
      "output",
    ]);
  });

  test("leaves out what a model thinks before its answer", async () => {
    const id = await startRun(service, { input_text: "Think." });
    using reader = follow(id);
    const call = await nextCall();
    writes(call, "<think>Let me see.");
    writes(call, " Yes.</think>\n\nIt is 4.");
    await expect.poll(() => reader.shown.text).toBe("It is 4.");
    expect(reader.messages.some(({ event, data }) => event === "delta" && data.includes("Let me see"))).toBe(false);
    finishes(call);
    await reader.done;
  });

  test("gathers what a model writes faster than a reader is told", async () => {
    const id = await startRun(service, { input_text: "Write." });
    using reader = follow(id);
    const call = await nextCall();
    for (let index = 0; index < 2_000; index++) writes(call, `${index} `);
    const whole = Array.from({ length: 2_000 }, (_, index) => `${index} `).join("");
    await expect.poll(() => reader.shown.text).toBe(whole);
    finishes(call);
    await reader.done;
    expect(reader.messages.filter(({ event }) => event === "delta").length).toBeLessThan(200);
  });
});

import type { ServerResponse } from "node:http";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createKey } from "../../../src/accounts/keys.ts";
import type { Schemas } from "../../../src/ext/call.ts";
import { startRun } from "../../support/ext-runs.ts";
import { type ExtService, extService } from "../../support/ext-service.ts";
import { chunk, send } from "../../providers/chat-completions-server.ts";
import { finishes, streamedModel, writes } from "../../providers/streamed-model.ts";

const model = await streamedModel();
const { nextCall } = model;

let service: ExtService;
beforeAll(async () => {
  const provider = { provider: "openai-compatible", baseUrl: model.baseUrl, model: "m", enabled: true } as const;
  service = await extService({ model: provider });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

interface Delta {
  turn: number;
  step: number;
  from: number;
  text: string;
}

/** The messages of a stream of events, as they arrive. `text`: what a reader shows of the answer in progress. */
function follow(id: string, key = service.apiKey) {
  const leave = new AbortController();
  const messages: EventSourceMessage[] = [];
  const shown = { text: "", thinking: "" };
  const parser = createParser({
    onEvent(message) {
      messages.push(message);
      if (message.event !== "delta" && message.event !== "thinking") return;
      const { from, text } = JSON.parse(message.data) as Delta;
      const kind = message.event === "delta" ? "text" : "thinking";
      shown[kind] = shown[kind].slice(0, from) + text;
    },
  });
  const done = (async () => {
    const headers = { authorization: `Bearer ${key}`, accept: "text/event-stream" };
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

  test.each([
    ["between tags", (call: ServerResponse, text: string) => writes(call, text), "<", "think>", "</think>\n\n"],
    ["apart", (call: ServerResponse, text: string) => send(call, chunk({ reasoning_content: text })), "", "", ""],
  ])("has what a model thinks before its answer, sent %s, in messages of its own", async (_, thinks, ...tags) => {
    const id = await startRun(service, { input_text: "Think." });
    using reader = follow(id);
    const call = await nextCall();
    if (tags[0]) thinks(call, tags[0]);
    thinks(call, `${tags[1]}Let me see.`);
    await expect.poll(() => reader.shown.thinking).toBe("Let me see.");
    thinks(call, " Yes.");
    await expect.poll(() => reader.shown.thinking).toBe("Let me see. Yes.");
    expect(reader.messages.map(({ event }) => event)).not.toContain("delta");
    writes(call, `${tags[2]}It is 4.`);
    await expect.poll(() => reader.shown).toEqual({ text: "It is 4.", thinking: "Let me see. Yes." });
    finishes(call);
    await reader.done;
    expect(events(reader.messages)[1]).toMatchObject({ text: "It is 4.", reasoning: "Let me see. Yes." });
  });

  test("removes a text from the stream when a closing tag without an opening one marks it as thinking", async () => {
    const id = await startRun(service, { input_text: "Think." });
    using reader = follow(id);
    const call = await nextCall();
    writes(call, "Let me see.");
    await expect.poll(() => reader.shown).toEqual({ text: "Let me see.", thinking: "" });
    writes(call, "</think>\n\n");
    await expect.poll(() => reader.shown).toEqual({ text: "", thinking: "Let me see." });
    writes(call, "It is 4.");
    await expect.poll(() => reader.shown).toEqual({ text: "It is 4.", thinking: "Let me see." });
    finishes(call);
    await reader.done;
    expect(events(reader.messages)[1]).toMatchObject({ text: "It is 4.", reasoning: "Let me see." });
  });

  test("has nothing of what a model thinks if its agent does not record it", async () => {
    const { accounts } = service.platform;
    const { organizationId = "" } = (await accounts.findAgent(service.templateId)) ?? {};
    const limits = { steps: 10, tokens: 100_000, seconds: 60 };
    const definition = { name: "Silent", instructions: "", tools: [], limits, recordReasoning: false };
    const silent = await createAgent(accounts, organizationId, definition);
    const { key } = await createKey(accounts, silent.id, {});
    const response = await fetch(`${service.baseUrl}/ext/v1/runs`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "Silent", input_text: "Think." }),
    });
    using reader = follow(((await response.json()) as Schemas["Run"]).id, key);
    const call = await nextCall();
    send(call, chunk({ reasoning_content: "Apart." }));
    writes(call, "<think>Let me see.</think>It is 4.");
    await expect.poll(() => reader.shown.text).toBe("It is 4.");
    finishes(call);
    await reader.done;
    expect(reader.messages.some(({ data }) => /Apart|Let me see/.test(data))).toBe(false);
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

import { createParser, type EventSourceMessage } from "eventsource-parser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Schemas } from "../../../src/ext/call.ts";
import { startRun, untilState } from "../../support/ext-runs.ts";
import { type ExtService, extService } from "../../support/ext-service.ts";

type Event = Schemas["Event"];

const note = "Bring coffee.";
let service: ExtService;
/** A finished run of five steps with an uploaded file. */
let finished: string;
beforeAll(async () => {
  service = await extService();
  const files = [{ filename: "note.txt", content_base64: Buffer.from(note).toString("base64") }];
  finished = await startRun(service, { input_text: "Read.\ndemo: steps=4", files });
  await untilState(service, finished, "finished");
});
afterAll(() => service[Symbol.asyncDispose]());

const page = async (query = "") =>
  (await service.call<Schemas["EventPage"]>("GET", `/runs/${finished}/events${query}`)).body;

/** The messages of a stream, until it ends. */
async function streamed(id: string, lastId?: string): Promise<{ text: string; messages: EventSourceMessage[] }> {
  const accept = { accept: "text/event-stream", ...(lastId !== undefined && { "last-event-id": lastId }) };
  const { headers, body: text } = await service.call<string>("GET", `/runs/${id}/events`, { headers: accept });
  expect(headers.get("content-type")).toBe("text/event-stream");
  const messages: EventSourceMessage[] = [];
  createParser({ onEvent: (message) => void messages.push(message) }).feed(text);
  return { text, messages };
}

describe("events", () => {
  test("are streamed until the run is not running; the stream then says so and ends", async () => {
    const id = await startRun(service, { input_text: "Work.\ndemo: steps=4 delay=20" });
    const { text, messages } = await streamed(id);
    expect(text.startsWith("retry: 2000\n\nevent: run\n")).toBe(true);
    const end = messages.at(-1);
    expect([end?.event, JSON.parse(end?.data ?? "")]).toEqual(["end", { status: "finished" }]);
    const runs = messages.filter(({ event }) => event === "run").map(({ data }) => JSON.parse(data) as object);
    expect([runs[0], runs.at(-1)]).toMatchObject([{ status: "running" }, { status: "finished" }]);
    expect(runs.every((run) => !("output" in run))).toBe(true);
    const events = messages.filter(({ event }) => event === "event");
    const { body: listed } = await service.call<Schemas["EventPage"]>("GET", `/runs/${id}/events`);
    expect(events.map(({ data }) => JSON.parse(data) as Event)).toEqual(listed.data);
    expect(events.map(({ id: number }) => Number(number))).toEqual(listed.data.map(({ sequence }) => sequence));
  });

  test("of a run at rest follow the last one that the client has, and the stream ends at once", async () => {
    const { data } = await page();
    const { messages } = await streamed(finished, "3");
    expect(messages.map(({ event }) => event)).toEqual(["run", ...data.slice(3).map(() => "event"), "end"]);
    const { messages: none } = await streamed(finished, String(data.length));
    expect(none.map(({ event }) => event)).toEqual(["run", "end"]);
  });

  test("of a run that is stopped end with its status", async () => {
    const id = await startRun(service, { input_text: "Work.\ndemo: steps=90 delay=20" });
    const stream = streamed(id);
    await service.call("POST", `/runs/${id}/stop`);
    expect((await stream).messages.at(-1)).toMatchObject({ event: "end", data: '{"status":"terminated"}' });
  });
});

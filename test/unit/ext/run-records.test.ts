import { createParser, type EventSourceMessage } from "eventsource-parser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Schemas } from "../../../src/ext/call.ts";
import { startRun, untilState } from "../../support/ext-runs.ts";
import { describeDownloads } from "../../support/downloads.ts";
import { describeFolders } from "../../support/folders.ts";
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
  test("are listed in order and in pages", async () => {
    const { data, next } = await page();
    expect(next).toBeNull();
    expect(data.map(({ sequence }) => sequence)).toEqual(data.map((_, index) => index + 1));
    expect([data[0]?.type, data[1]?.type, data.at(-1)?.type]).toEqual(["input", "model_call", "output"]);
    const first = await page("?limit=2");
    expect(await page(`?limit=1000&after=${first.next}`)).toEqual({ data: data.slice(2), next: null });
    expect((await page("?max_text=3")).data[0]).toMatchObject({ text: "Rea", cut: { text: 19 } });
  });

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

describe("files", () => {
  test("are found by a name in either Unicode form", async () => {
    const files = [{ filename: "Zoe\u0308.txt", content_base64: Buffer.from("here").toString("base64") }];
    const id = await startRun(service, { input_text: "Read.", files });
    for (const name of ["Zo\u00eb.txt", "Zoe\u0308.txt"]) {
      const { status, body } = await service.call<string>("GET", `/runs/${id}/files/${encodeURIComponent(name)}`);
      expect([status, body]).toEqual([200, "here"]);
    }
  });

  test("are listed, now and at a step", async () => {
    const { body } = await service.call<Schemas["RunFilePage"]>("GET", `/runs/${finished}/files`);
    expect(body.data).toContainEqual(expect.objectContaining({ name: "note.txt", size: note.length }));
    const start = await service.call<Schemas["RunFilePage"]>("GET", `/runs/${finished}/files?at=1.0`);
    expect(start.body.data.map(({ name }) => name)).toEqual(["note.txt"]);
  });

  test("are downloaded as attachments", async () => {
    const { status, headers, body } = await service.call<string>("GET", `/runs/${finished}/files/note.txt`);
    expect([status, body]).toEqual([200, note]);
    expect(headers.get("content-type")).toBe("application/octet-stream");
    expect(headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''note.txt");
  });

  test.for([
    ["/files/other.txt", "file_not_found"],
    ["/files?at=9.1", "step_not_found"],
  ])("%s is 404", async ([path, code]) => {
    const { status, body } = await service.call("GET", `/runs/${finished}${path}`);
    expect([status, body["code"]]).toEqual([404, code]);
  });
});

describeFolders(() => service);
describeDownloads(() => service);

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Schemas } from "../../../src/manage/call.ts";
import { contentDisposition } from "../../../src/http/rest/attachment.ts";
import { wireEvent } from "../../../src/http/rest/wire/event.ts";
import { anAnswer } from "../../platform/run-fixtures.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";

type EventPage = Schemas["EventPage"];

const note = `Bring coffee. ${"Long. ".repeat(100)}`;
let service: ManageService;
/** Path of a finished run of five steps with an uploaded file. */
let run: string;

beforeAll(async () => {
  service = await manageService();
  const content_base64 = Buffer.from(note).toString("base64");
  const files = [{ filename: "note.txt", content_base64 }];
  const body = { agent_id: service.templateId, name: "Run", input_text: "Read.\ndemo: steps=4", files };
  const { body: created } = await service.call<Schemas["Run"]>("POST", "/runs", { body });
  run = `/runs/${created.id}`;
  const isFinished = async () => expect((await service.call("GET", run)).body["status"]).toBe("finished");
  await vi.waitFor(isFinished, { interval: 10, timeout: 25_000 });
});
afterAll(() => service[Symbol.asyncDispose]());

async function outcome(path: string): Promise<[number, unknown]> {
  const { status, body } = await service.call("GET", `${run}${path}`);
  return [status, body["code"]];
}

const events = async (query = ""): Promise<EventPage> =>
  (await service.call<EventPage>("GET", `${run}/events${query}`)).body;

describe("events", () => {
  test("are cut to a length, and complete one by one", async () => {
    const whole = (await events()).data;
    const { data } = await events("?max_text=20");
    for (const [index, event] of data.entries()) {
      const { cut, ...shown } = event as { cut?: Record<string, number> } & Record<string, unknown>;
      const complete = (await service.call("GET", `${run}/events/${index + 1}`)).body;
      expect(complete).toEqual(whole[index]);
      for (const [path, length] of Object.entries(cut ?? {})) {
        const text = path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], complete);
        expect((text as string).length).toBe(length);
      }
      expect(JSON.stringify(shown).length).toBeLessThan(1_500);
      if (!cut) expect(shown).toEqual(complete);
    }
    const result = data.find((event) => event.type === "tool_result" && event.text.startsWith("note.txt"));
    expect(result).toBeDefined();
    expect(data.some((event) => event.cut !== undefined)).toBe(true);
    expect(data[0]).not.toHaveProperty("cut");
  });

  test("have the reasoning before an answer, which is cut like every text", () => {
    const thought = { type: "reasoning", text: "Two files. 👋👋" };
    const echo = { origin: "p m", messages: [{ role: "assistant", content: [thought] }] };
    const answer = { ...anAnswer, echo, reasoning: { milliseconds: 400.4 } };
    const entry = { turn: 1, step: 1, part: "answer", answer, firstTokenMs: 12, sequence: 7, at: 0 } as const;
    expect(wireEvent(entry)).toMatchObject({
      text: "Done.",
      reasoning: thought.text,
      reasoning_ms: 400,
      first_token_ms: 12,
    });
    expect(wireEvent(entry, 12)).toMatchObject({ reasoning: "Two files. ", cut: { reasoning: 15 } });
    // An earlier release recorded it, or the agent does not record reasoning.
    expect(wireEvent({ ...entry, answer: { ...anAnswer, echo } })).toMatchObject({
      reasoning: null,
      reasoning_ms: null,
    });
  });

  test("never contain the provider's message or contents of attachments", () => {
    const secret = "x".repeat(100);
    const answer = {
      ...anAnswer,
      echo: { reasoning: secret },
      toolCalls: [{ id: "c", name: "t", input: { a: "👋👋" } }],
    };
    const event = wireEvent({ turn: 1, step: 1, part: "answer", answer, sequence: 7, at: 0 }, 8);
    expect(JSON.stringify(event)).not.toContain("xx");
    expect(event).toMatchObject({
      tool_calls: [{ name: "t", arguments: '{"a":"👋' }],
      cut: { "tool_calls.0.arguments": 12 },
    });
    const attachments = [{ name: "a.png", mediaType: "image/png", sha256: "0".repeat(64) }];
    const result = { callId: "c", name: "t", text: "Shown.", attachments };
    expect(wireEvent({ turn: 1, step: 1, part: "result", call: 0, result })).toEqual({
      type: "tool_result",
      sequence: null,
      at: null,
      turn: 1,
      step: 1,
      call: 0,
      name: "t",
      text: "Shown.",
      is_error: false,
      milliseconds: null,
      files: [],
      attachments: [{ name: "a.png", media_type: "image/png", sha256: "0".repeat(64) }],
    });
  });

  test("that do not exist are 404", async () => {
    expect(await outcome("/events/9999")).toEqual([404, "step_not_found"]);
    expect(await outcome("/events/0")).toEqual([422, "invalid_request"]);
    expect(await outcome("/events?max_text=-1")).toEqual([422, "invalid_request"]);
  });
});

describe("requests", () => {
  test("of a step are rebuilt", async () => {
    const { body } = await service.call<Schemas["ModelRequest"]>("GET", `${run}/request?at=1.2`);
    expect(body).toMatchObject({
      provider: "demo",
      model: null,
      context_tokens: 128_000,
      instructions: expect.stringContaining("Answer") as string,
    });
    expect(body.tools.map(({ name }) => name)).toContain("read_file");
    const [input, listNote, answer, results] = body.messages;
    expect(input).toEqual({ role: "user", text: "Read.\ndemo: steps=4", note: false, attachments: [] });
    expect(listNote).toMatchObject({ role: "user", note: true, text: expect.stringContaining("note.txt") as string });
    expect(answer).toEqual({ role: "assistant", text: "", tool_calls: [{ name: "list_files", arguments: "{}" }] });
    expect(results).toMatchObject({ role: "tool", results: [{ name: "list_files", is_error: false }] });
  });

  test("of a step that does not exist are 404", async () => {
    expect(await outcome("/request?at=1.99")).toEqual([404, "step_not_found"]);
    expect(await outcome("/request?at=9.1")).toEqual([404, "step_not_found"]);
    expect(await outcome("/request")).toEqual([422, "invalid_request"]);
    expect(await outcome("/request?at=one")).toEqual([422, "invalid_request"]);
  });
});

describe("files", () => {
  test("have names that cannot end the header", () => {
    expect(contentDisposition(`a"b'c(d)*\r\n; é 👋.txt`)).toBe(
      "attachment; filename*=UTF-8''a%22b%27c%28d%29%2A%0D%0A%3B%20%C3%A9%20%F0%9F%91%8B.txt",
    );
  });
});

import { createParser, type EventSourceMessage } from "eventsource-parser";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Schemas } from "../../../src/manage/call.ts";
import { streamResponse } from "../../../src/http/rest/event-stream.ts";
import { wireDetail } from "../../../src/manage/wire/run.ts";
import { runDescriber } from "../../../src/runs/read/describe-runs.ts";
import { acceptInput } from "../../../src/runs/control/control-run.ts";
import { externalWorkflow } from "../../../src/platform/local/workflow.ts";
import { watchRun } from "../../../src/runs/read/watch-run.ts";
import { advance } from "../../../src/workflow/advance.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";
import fc from "../../support/properties.ts";
import { newRun, putAgent, scriptedModel } from "../../support/scripted-runs.ts";

type RunDetail = Schemas["RunDetail"];
type Event = Schemas["Event"];

let service: ManageService;
beforeAll(async () => {
  service = await manageService();
});
afterAll(() => service[Symbol.asyncDispose]());

async function start(input: string): Promise<string> {
  const body = { agent_id: service.templateId, name: "Run", input_text: input };
  return (await service.call<{ id: string }>("POST", "/runs", { body })).body.id;
}

/** A message of a stream as a client sees it. `id`: of the last message that had one. */
interface Message {
  event: string | undefined;
  data: unknown;
  id: string | undefined;
}

/** Opens a stream and yields its messages. Reads at most `bytes`, also within a message, and then leaves. */
async function* messagesOf(
  runId: string,
  { lastId, bytes = Infinity, query = "" }: { lastId?: string | undefined; bytes?: number; query?: string } = {},
): AsyncGenerator<Message> {
  const leave = new AbortController();
  const response = await fetch(`${service.baseUrl}/manage/v1/runs/${runId}/events${query}`, {
    headers: {
      authorization: `Bearer ${service.viewerToken}`,
      accept: "text/event-stream",
      ...(lastId !== undefined && { "last-event-id": lastId }),
    },
    signal: leave.signal,
  });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  const received: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => void received.push(message) });
  const decoder = new TextDecoder();
  let left = bytes;
  try {
    for await (const chunk of response.body ?? []) {
      const part = (chunk as Uint8Array).subarray(0, left);
      parser.feed(decoder.decode(part, { stream: true }));
      for (const { event, data, id } of received.splice(0)) yield { event, data: JSON.parse(data), id };
      left -= part.length;
      if (left === 0) return;
    }
  } finally {
    leave.abort();
  }
}

/** Follows a run until it is in this state, and leaves after the numbers of bytes that `cuts` returns. */
async function follow(runId: string, state: RunDetail["state"], cuts: () => number) {
  const events: Event[] = [];
  let lastId: string | undefined;
  let run: RunDetail | undefined;
  for (let connections = 1; ; connections++) {
    for await (const { event, data, id } of messagesOf(runId, { lastId, bytes: cuts() })) {
      lastId = id ?? lastId;
      if (event === "event") events.push(data as Event);
      if (event === "run") run = data as RunDetail;
      if (run?.state === state && String(run.sequence) === lastId) return { events, connections };
    }
  }
}

const listed = async (runId: string): Promise<Event[]> =>
  (await service.call<Schemas["EventPage"]>("GET", `/runs/${runId}/events`)).body.data;

test("two clients that are cut at any byte get every event once and in order", async () => {
  const runId = await start("Work.\ndemo: steps=20 delay=4");
  const sizes = fc.sample(fc.integer({ min: 500, max: 8_000 }), 1_000);
  const cuts = () => sizes.pop() ?? Infinity;
  const clients = await Promise.all([follow(runId, "finished", cuts), follow(runId, "finished", cuts)]);
  const expected = await listed(runId);
  for (const { events, connections } of clients) {
    expect(events).toEqual(expected);
    expect(connections).toBeGreaterThan(2);
  }
});

test("a stream shows what the run does, and its end", async () => {
  const runId = await start("Work.\ndemo: steps=2 delay=300");
  let activities = 0;
  let seen = 0;
  for await (const { event, data } of messagesOf(runId, { query: "?max_text=5" })) {
    if (event === "event") {
      seen++;
      expect((data as Event).type).not.toBe("model_call_failed");
      continue;
    }
    const run = data as RunDetail;
    if (run.activity) activities++;
    if (run.state === "finished") {
      expect(run).toMatchObject({ sequence: seen, finish_reason: "completed", turn_usage: { steps: run.usage.steps } });
      break;
    }
  }
  expect(activities).toBeGreaterThan(0);
});

test("a run that is stopped or deleted while it is watched ends in its streams", async () => {
  const working = await start("Work.\ndemo: steps=90 delay=20");
  for await (const { event, data } of messagesOf(working)) {
    if (event === "event" && (data as Event).sequence === 6) void service.call("POST", `/runs/${working}/stop`);
    if (event === "run" && (data as RunDetail).state === "terminated") break;
  }
  const ended = await start("Quick.");
  const states: string[] = [];
  for await (const { event, data } of messagesOf(ended)) {
    if (event !== "run") continue;
    const { state, sequence } = data as RunDetail;
    if (state === "finished" && states.at(-1) !== state) void service.call("DELETE", `/runs/${ended}`);
    states.push(state);
    if (sequence === 0) break;
  }
  expect(states.at(-1)).toBe("terminated");
});

test("a stream begins after the event that the client has", async () => {
  const runId = await start("Quick.");
  await follow(runId, "finished", () => Infinity);
  const events = await listed(runId);
  const from = async (options: { lastId?: string; query?: string }): Promise<number[]> => {
    const numbers: number[] = [];
    for await (const { event, data } of messagesOf(runId, options)) {
      if (event === "event") numbers.push((data as Event).sequence ?? 0);
      if (numbers.at(-1) === events.length) return numbers;
    }
    return numbers;
  };
  expect(await from({ query: "?after=1" })).toEqual(events.slice(1).map(({ sequence }) => sequence));
  expect(await from({ query: "?after=0", lastId: "2" })).toEqual(events.slice(2).map(({ sequence }) => sequence));
  const headers = { accept: "text/event-stream" };
  const malformed = await service.call("GET", `/runs/${runId}/events`, {
    headers: { ...headers, "last-event-id": "x" },
  });
  expect([malformed.status, malformed.body["code"]]).toEqual([422, "invalid_argument"]);
  const missing = await service.call("GET", "/runs/00000000-0000-4000-8000-000000000001/events", { headers });
  expect([missing.status, missing.body["code"]]).toEqual([404, "run_not_found"]);
});

test("on Lambda, a stream ends after the recorded events, and continues where it ended", async () => {
  const stores = fakeAwsStores();
  await putAgent(stores);
  const { id } = await newRun(stores, "run", Date.now(), "One.");
  const { model } = scriptedModel(3);
  const openModel = async () => ({ model, name: "m", provider: "p" });
  const budget = { signal: new AbortController().signal, deadline: Infinity };
  const deps = { ...stores, openModel, now: Date.now, secretOf: async () => undefined };
  const advanceTurn = (turn: number) => advance(deps, { runId: id, turn }, budget);
  const describer = runDescriber(deps);

  async function collect(after?: number): Promise<{ numbers: number[]; last: RunDetail; text: string }> {
    const options = { signal: new AbortController().signal, ...(after !== undefined && { after }) };
    const { body } = streamResponse(() => watchRun({ ...deps, describer }, id, options), {
      wireRun: wireDetail,
      answererOf: async () => null,
      isOpen: false,
      requestId: "r",
      runId: id,
    });
    if (typeof body !== "function") throw new Error("not a stream");
    let text = "";
    for await (const part of body(options.signal)) text += part;
    const data = (name: string) => [...text.matchAll(new RegExp(`^event: ${name}\\ndata: (.*)$`, "gm"))];
    const numbers = [...text.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
    return { numbers, last: JSON.parse(data("run").at(-1)?.[1] ?? "") as RunDetail, text };
  }

  expect(await collect()).toMatchObject({ numbers: [1], last: { state: "running", model: null } });
  await advanceTurn(1);
  const first = await collect(1);
  expect(first.text.startsWith("retry: 2000\n\nevent: run\n")).toBe(true);
  const { sequence } = first.last;
  expect(first.numbers).toEqual(Array.from({ length: sequence - 1 }, (_, index) => index + 2));
  expect(first.last).toMatchObject({ state: "finished", model: "m", turn_usage: { steps: 4 } });
  await acceptInput({ ...stores, workflow: externalWorkflow, now: Date.now }, id, "Two.");
  await advanceTurn(2);
  const second = await collect(sequence);
  expect(second.numbers[0]).toBe(sequence + 1);
  expect(second.last).toMatchObject({ turn: 2, state: "finished", turn_usage: { steps: 4 }, usage: { steps: 8 } });
  expect((await collect(second.last.sequence)).numbers).toEqual([]);
});

import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createAgent } from "../../src/accounts/agents.ts";
import { createKey } from "../../src/accounts/keys.ts";
import { createOrganization } from "../../src/accounts/organizations.ts";
import type { Model, ModelAnswer } from "../../src/agent/model.ts";
import { extHandlers } from "../../src/ext/handlers/index.ts";
import { extOnLambda } from "../../src/ext/on-lambda.ts";
import { extRouter } from "../../src/ext/router.ts";
import { lambdaHandler } from "../../src/http/server/lambda.ts";
import { newS3Client } from "../../src/platform/aws/s3/bucket.ts";
import { signedTransfers } from "../../src/platform/aws/s3/signed-transfers.ts";
import { externalWorkflow } from "../../src/platform/local/workflow.ts";
import { advance } from "../../src/workflow/advance.ts";
import { fastClock } from "../support/fast-clock.ts";
import { fakeAwsStores } from "../support/fake-aws/platform.ts";

type Input = Record<string, unknown>;

/** Watches what reaches the table for the text of a run, and can fail it. */
function observed() {
  const stores = fakeAwsStores();
  const calls = { marks: [] as Input[], texts: [] as Input[] };
  /** Called for each mark and text before it is sent. */
  const before = { mark: async (): Promise<void> => {}, text: async (): Promise<void> => {} };
  stores.documents.middlewareStack.add(
    (next) => async (args) => {
      const input = args.input as Input;
      if (String(input["UpdateExpression"]).includes("watchedUntil")) {
        calls.marks.push(input);
        await before.mark();
      }
      const item = input["Item"] as Input | undefined;
      if (item?.["sk"] === "TEXT") {
        calls.texts.push(item);
        await before.text();
      }
      return next(args);
    },
    { step: "initialize", priority: "high" },
  );
  return { stores, calls, before };
}

describe("a writer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const place = { turn: 1, step: 2 };
  const answering = { kind: "model_call" as const, ...place, tools: [], since: 0 };

  test("stores nothing while nobody watches, and then the text so far at once", async () => {
    const { stores, calls } = observed();
    const writer = stores.texts.open("r", place);
    writer.write("Once upon");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls.texts).toEqual([]);
    stores.texts.seen("r", Date.now() + 5_000);
    expect(calls.texts).toMatchObject([{ pk: "RUN#r", ...place, from: 0, text: "Once upon" }]);
    expect(calls.texts[0]?.["expiresAt"]).toBe(Math.ceil(Date.now() / 1_000) + 86_400);
    await vi.advanceTimersByTimeAsync(6_000);
    writer.write("Once upon a time");
    await vi.advanceTimersByTimeAsync(6_000);
    expect(calls.texts).toHaveLength(1);
    writer.end();
  });

  test("stores the text of a fast model once a second, with its last characters in the end", async () => {
    const { stores, calls } = observed();
    stores.texts.seen("r", Date.now() + 60_000);
    const writer = stores.texts.open("r", place);
    let text = "";
    for (let index = 0; index < 1_000; index++) {
      writer.write((text += `${index} `));
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(calls.texts.length).toBeGreaterThan(8);
    expect(calls.texts.length).toBeLessThanOrEqual(11); // of 10 s
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await stores.texts.of("r", answering)).toEqual({ ...place, from: 0, text });
    writer.write(`${text}end`);
    writer.end();
    const stored = calls.texts.length;
    await vi.advanceTimersByTimeAsync(60_000);
    writer.write(`${text}end.`);
    expect(calls.texts).toHaveLength(stored);
  });

  test.each([
    ["a", 10_000],
    ["é", 5_000],
    ["語", 5_000],
    ["🦊", 5_000],
  ])("keeps the end of a text of %s that fits four write units", async (character, length) => {
    const { stores, calls } = observed();
    stores.texts.seen("r", Date.now() + 60_000);
    const writer = stores.texts.open("r", place);
    const whole = `<think>Let me see.</think>b${character.repeat(length)}`;
    writer.write(`${whole}\uD83E`); // the first half of a character
    const item = calls.texts[0] as { from: number; text: string };
    const sizes = Object.entries(item).map(([name, value]) => name.length + Buffer.byteLength(String(value)));
    const bytes = sizes.reduce((sum, size) => sum + size);
    expect(bytes).toBeLessThanOrEqual(4_096);
    expect(bytes).toBeGreaterThan(3_900);
    const answer = whole.slice(whole.indexOf("b"));
    expect(answer.slice(item.from)).toBe(item.text);
    writer.end();
  });

  test("does not wait for a slow write, and drops one that fails", async () => {
    const { stores, calls, before } = observed();
    stores.texts.seen("r", Date.now() + 60_000);
    let fail = (_: Error): void => {};
    before.text = () => new Promise((_, reject) => (fail = reject));
    const writer = stores.texts.open("r", place);
    writer.write("a");
    writer.write("ab");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls.texts.map(({ text }) => text)).toEqual(["a"]);
    before.text = async () => {};
    writer.write("abc");
    fail(new Error("throttled"));
    await vi.advanceTimersByTimeAsync(0);
    expect(calls.texts.map(({ text }) => text)).toEqual(["a", "abc"]);
    writer.end();
  });
});

const limits = { steps: 10, tokens: 1_000_000, seconds: 3_600 };

/** The extension API on Lambda, and a worker in another process, whose model writes what the test says. */
async function service() {
  const { stores, calls, before } = observed();
  const { accounts } = stores;
  const organization = await createOrganization(accounts, { name: "O", model: { provider: "demo", enabled: true } });
  const definition = { name: "Agent", instructions: "Work.", tools: ["list_files"], limits, allowDelete: true };
  const agent = await createAgent(accounts, organization.id, definition);
  const { key } = await createKey(accounts, agent.id);
  const deps = { ...stores, workflow: externalWorkflow, now: Date.now, secretRefusal: () => undefined };
  const accepted = { inlineBytes: 2 ** 21, uploadBytes: 2 ** 20 };
  const s3 = newS3Client({ region: "eu-central-1", credentials: { accessKeyId: "A", secretAccessKey: "s" } });
  const transfers = signedTransfers(async () => s3, "bucket");
  const handlers = extHandlers({ ...deps, limits: accepted, transfers, wait: { interval: 20, clientSeconds: 0 } });
  const handle = lambdaHandler(extOnLambda(extRouter(handlers, stores), []));

  async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const answer = await handle({
      headers: { "x-api-key": key, "content-type": "application/json", ...headers },
      rawPath: `/ext/v1${path}`,
      rawQueryString: "",
      isBase64Encoded: false,
      ...(body && { body: JSON.stringify(body) }),
      requestContext: { requestId: "r", http: { method } },
    });
    return { status: answer.statusCode, text: answer.body ?? "" };
  }

  const { status, text } = await call("POST", "/runs", { name: "r", input_text: "Write." });
  expect(status).toBe(201);
  const { id } = JSON.parse(text) as { id: string };

  /** Model calls in progress, in the order of their arrival. */
  const models: { writes: (text: string) => void; answers: (answer: Partial<ModelAnswer>) => void }[] = [];
  const model: Model = ({ onText }) =>
    new Promise((resolve) => {
      const usage = { inputTokens: 1, outputTokens: 1 };
      models.push({
        writes: (written) => onText?.(written),
        answers: (answer) => resolve({ answer: { text: "", toolCalls: [], finishReason: "stop", usage, ...answer } }),
      });
    });
  const worker = { ...stores.inAnotherProcess(), now: Date.now, secretOf: async () => undefined };
  const openModel = async () => ({ model, name: "m", provider: "p" });
  const budget = { signal: new AbortController().signal, deadline: Infinity };

  return {
    call,
    calls,
    before,
    id,
    stores,
    work: () => advance({ ...worker, openModel }, { runId: id, turn: 1 }, budget),
    async nextModelCall() {
      await expect.poll(() => models.length).toBeGreaterThan(0);
      const next = models.shift();
      if (!next) throw new Error("no model call");
      return next;
    },
    /** The messages of a response with all events. */
    async stream() {
      const response = await call("GET", `/runs/${id}/events`, undefined, { accept: "text/event-stream" });
      expect(response.status).toBe(200);
      const data = (name: string) =>
        [...response.text.matchAll(new RegExp(`^event: ${name}\\ndata: (.*)$`, "gm"))].map(
          ([, json = ""]) => JSON.parse(json) as Input,
        );
      const retries = [...response.text.matchAll(/^retry: (\d+)$/gm)].map(([, milliseconds]) => Number(milliseconds));
      return { deltas: data("delta"), events: data("event"), ends: data("end"), retries };
    },
  };
}

describe("a stream of events on Lambda", () => {
  test("has the text while it is written, and then the recorded answer", async () => {
    const { work, nextModelCall, stream, calls, stores, id, call } = await service();
    expect(await stream()).toMatchObject({ deltas: [], retries: [2_000, 1_000] });
    const turn = work();
    const first = await nextModelCall();
    first.writes("<think>Hm.");
    first.writes("<think>Hm.</think>Once");
    await expect.poll(stream).toMatchObject({
      deltas: [{ turn: 1, step: 1, from: 0, text: "Once" }],
      retries: [2_000, 1_000],
    });
    first.writes("<think>Hm.</think>Once upon a time");
    await expect.poll(stream, { timeout: 5_000 }).toMatchObject({
      deltas: [{ turn: 1, step: 1, from: 0, text: "Once upon a time" }],
    });
    first.answers({ text: "Once upon a time", toolCalls: [{ id: "c", name: "list_files", input: {} }] });
    const second = await nextModelCall();
    // The text of the first step is still stored.
    expect(await itemsOf(stores, id)).toContain("TEXT");
    expect((await stream()).deltas).toEqual([]);
    expect((await stores.runs.load(id))?.journal).toHaveLength(2);
    second.writes("The end.");
    await expect.poll(stream, { timeout: 5_000 }).toMatchObject({ deltas: [{ turn: 1, step: 2, text: "The end." }] });
    second.answers({ text: "The end." });
    expect(await turn).toEqual({ done: true, turn: 1 });
    const marks = calls.marks.length;
    const ended = await stream();
    expect(ended).toMatchObject({ deltas: [], ends: [{ status: "finished" }], retries: [2_000] });
    expect(ended.events.map(({ type }) => type)).toEqual([
      "input",
      "model_call",
      "tool_result",
      "model_call",
      "output",
    ]);
    expect(marks).toBe(1); // one in 15 s, of many reads
    expect(calls.marks).toHaveLength(marks);
    expect((await call("DELETE", `/runs/${id}`)).status).toBe(200);
    expect(await itemsOf(stores, id)).toEqual(["HEAD"]);
  });

  test("is not needed: a run that is read in other ways is not watched", async () => {
    const { work, nextModelCall, call, calls, id, stores } = await service();
    const turn = work();
    const model = await nextModelCall();
    model.writes("Once");
    for (const path of [`/runs/${id}`, `/runs/${id}/events`, "/runs"])
      expect((await call("GET", path)).status).toBe(200);
    model.writes("Once upon");
    model.answers({ text: "Once upon" });
    await turn;
    expect(calls).toEqual({ marks: [], texts: [] });
    expect(await itemsOf(stores, id)).not.toContain("TEXT");
  });

  test("has the text when it is opened while the model writes", async () => {
    const { work, nextModelCall, stream, calls } = await service();
    using _clock = fastClock();
    const turn = work();
    const model = await nextModelCall();
    model.writes("Once");
    expect((await stream()).deltas).toEqual([]);
    await expect.poll(stream, { timeout: 5_000 }).toMatchObject({ deltas: [{ from: 0, text: "Once" }] });
    expect(calls.texts).toHaveLength(1);
    model.answers({ text: "Once" });
    await turn;
  });

  test("is complete when the run cannot be marked, and the turn ends while a text cannot be stored", async () => {
    const { work, nextModelCall, stream, before, calls } = await service();
    before.mark = async () => {
      throw Object.assign(new Error("no"), { name: "AccessDeniedException" });
    };
    expect((await stream()).events).toHaveLength(1);
    expect((await stream()).events).toHaveLength(1);
    expect(calls.marks).toHaveLength(1); // the next attempt follows in 15 s
    const { work: watched, nextModelCall: nextWatched, stream: watch, ...other } = await service();
    await watch();
    other.before.text = () => new Promise(() => {});
    const [first, second] = [work(), watched()];
    for (const model of [await nextModelCall(), await nextWatched()]) {
      model.writes("Once");
      model.answers({ text: "Once" });
    }
    expect(await Promise.all([first, second])).toEqual(Array(2).fill({ done: true, turn: 1 }));
    expect([calls.texts.length, other.calls.texts.length]).toEqual([0, 1]);
    expect(await watch()).toMatchObject({ deltas: [], ends: [{ status: "finished" }] });
  });
});

/** Sort keys of a run's items. */
async function itemsOf({ documents }: ReturnType<typeof fakeAwsStores>, id: string): Promise<unknown[]> {
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName: "T",
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": `RUN#${id}` },
    }),
  );
  return Items.map(({ sk }) => sk as unknown);
}

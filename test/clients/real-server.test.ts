import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Event } from "../../clients/typescript/src/index.ts";
import { done } from "../integration/admin.ts";
import { modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import {
  answersWithResult,
  callsTool,
  chatServer,
  chunk,
  type Reply,
  send,
  startStream,
} from "../providers/chat-completions-server.ts";
import { type HttpServer, httpServer } from "../support/http-server.ts";
import { type Driver, drivers, type Job } from "./driver.ts";

const steps = 40;
/** The model writes a file, reads it many times, and responds. */
const replies: Reply[] = [
  callsTool("write_file", { name: "result.txt", content: "written by the agent" }),
  ...Array.from({ length: steps }, () => callsTool("read_file", { name: "result.txt" })),
  answersWithResult,
];

/** Passes requests on to the service. `cutAfter`: events after which a stream is cut, in the middle of the next one. */
async function proxyTo(service: Service, { cutAfter = Infinity }): Promise<HttpServer> {
  return httpServer((incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const forwarded = request(service.baseUrl + url, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      if (headers.accept !== "text/event-stream") return response.pipe(outgoing);
      let [text, sent] = ["", 0];
      response.on("data", (data: Buffer) => {
        text += data.toString();
        const parts = text.split(/(?<=\n\n)(?=id: )/); // what precedes the first event, and the events
        const next = parts[cutAfter + 1];
        const shown = next === undefined ? text : parts.slice(0, cutAfter + 1).join("") + next.slice(0, 30);
        outgoing.write(shown.slice(sent), () => next !== undefined && outgoing.destroy());
        sent = shown.length;
        if (next !== undefined) response.destroy();
      });
      response.on("end", () => outgoing.end());
      return undefined;
    });
    incoming.pipe(forwarded);
  });
}

describe.each(Object.keys(drivers))("%s, with npm start", (language) => {
  let model: Awaited<ReturnType<typeof chatServer>>;
  let service: Service;
  let driver: Driver;
  let job: (more: Omit<Job, "baseUrl">) => Job;
  beforeAll(async () => {
    model = await chatServer(...replies, ...replies, ...replies);
    service = await startService(newDataDir(), modelAt(model.baseUrl));
    const { baseUrl, apiKey: api_key } = service;
    job = (more) => ({ baseUrl, ...more, client: { api_key, ...more.client } });
    driver = await drivers[language]!();
  });
  afterAll(async () => {
    await driver[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  test("creates a run with a file, follows it, and downloads what the agent wrote", async () => {
    const files = [["upload.txt", "Hello"]];
    const options = { name: "First", input: "Write a file", files, labels: { customer: "4711" }, timeout: 60_000 };
    const { value, events } = await driver.run(job({ method: "create_and_wait", options, onEvent: "record" }));
    expect(value).toMatchObject({ status: "finished", output: expect.stringContaining("written by the agent") });
    expect(sequencesOf(events)).toEqual(events.map((_, index) => index + 1));
    const { id } = value as { id: string };
    const of = async (method: string, ...args: string[]) =>
      (await driver.run(job({ method, args: [id, ...args] }))).value;
    expect(await of("files")).toMatchObject([{ name: "result.txt" }, { name: "upload.txt", size: 5 }]);
    expect(await of("download", "result.txt")).toBe("written by the agent");
    const listed = await driver.run(job({ method: "list", options: { label: "customer=4711" } }));
    expect(listed.value).toMatchObject([{ id }]);
    const created = (await of("create_token")) as { token: string; id: string };
    const reader = { api_key: created.token };
    const asReader = (method: string, ...args: string[]) => driver.run(job({ method, args, client: reader }));
    expect((await asReader("wait", id)).value).toMatchObject({ id, status: "finished" });
    expect((await asReader("download", id, "result.txt")).value).toBe("written by the agent");
    expect((await asReader("stop", id)).error).toMatchObject({ code: "token_reads_one_run" });
    await of("revoke_token", created.id);
    expect((await asReader("get", id)).error).toMatchObject({ name: "AuthenticationError", status: 401 });
    expect(await of("stop")).toMatchObject({ status: "terminated" });
    const late = await driver.run(job({ method: "send_input", args: [id, "More"] }));
    expect(late.error).toMatchObject({ name: "RunEnded", status: 409 });
  });

  test("gets each event once and in order over a stream that is cut again and again", async () => {
    await using proxy = await proxyTo(service, { cutAfter: 1 });
    const options = { name: "Cut", input: "Write a file" };
    const { value } = await driver.run(job({ method: "create", options }));
    const args = [(value as { id: string }).id];
    await driver.run(job({ method: "wait", args, onEvent: "record", realTime: true }));
    const { value: events, sleeps } = await driver.run({ ...job({ method: "events", args }), baseUrl: proxy.url });
    expect(sequencesOf(events as unknown[])).toEqual((events as unknown[]).map((_, index) => index + 1));
    expect(sleeps.length).toBeGreaterThan(steps);
  });

  test("returns the same run for the same idempotency key", async () => {
    const options = { name: "Once", idempotency_key: `key of ${language}`.replaceAll(" ", "-") };
    const [first, second] = [
      await driver.run(job({ method: "create", options })),
      await driver.run(job({ method: "create", options })),
    ];
    expect(second.value).toMatchObject({ id: (first.value as { id: string }).id });
    const other = await driver.run(job({ method: "create", options: { ...options, name: "Other" } }));
    expect(other.error).toMatchObject({ name: "IdempotencyKeyReused", code: "idempotency_key_reused" });
  });

  test("sends files of more than 10 MiB", async () => {
    const content = `${"0123456789abcdef".repeat(720 * 1024)}end`;
    const options = { name: "Large", files: [["large.txt", content]], idempotency_key: `large-${randomUUID()}` };
    const { value } = await driver.run(job({ method: "create", options }));
    const repeated = await driver.run(job({ method: "create", options }));
    expect(repeated.value).toMatchObject({ id: (value as { id: string }).id });
    const args = [(value as { id: string }).id, "large.txt"];
    const downloaded = await driver.run(job({ method: "download", args }));
    expect(downloaded.value === content).toBe(true);
  });

  /** A key of a new agent in an organization of its own, whose model these options set. */
  async function keyOf(file: string, ...modelOptions: string[]): Promise<string> {
    const { dataDir } = service;
    const { id: org } = await done(dataDir, "org", "create", "--name", "Other");
    await done(dataDir, "org", "set-model", org, ...modelOptions);
    const { id } = await done(dataDir, "agent", "create", "--org", org, "--file", file);
    return (await done(dataDir, "key", "create", "--agent", id)).key;
  }

  test("answers the calls of a client tool", async () => {
    const api_key = await keyOf("examples/order-status.json", "--provider", "demo");
    const desk = (more: Omit<Job, "baseUrl" | "client">) => job({ ...more, client: { api_key }, realTime: true });
    const options = { name: "Order", input: "Where is order 4711?" };
    const { value: created } = await driver.run(desk({ method: "create_and_wait", options, onEvent: "record" }));
    const run = created as { id: string; open_calls: { id: string }[] };
    expect(run).toMatchObject({ status: "running", waiting: true, open_calls: [{ name: "find_order" }] });
    const wrong = [run.id, { ...run.open_calls[0], arguments_sha256: "0".repeat(64) }];
    const rejected = await driver.run(desk({ method: "answer", args: wrong, options: { output: "sent" } }));
    expect(rejected.error).toMatchObject({ code: "arguments_changed" });
    const tools = { find_order: { returns: { state: "sent" } } };
    const served = await driver.run(desk({ method: "serve_tools", args: [run.id], tools, onEvent: "record" }));
    expect(served.called).toEqual([["find_order", { order: 1 }]]);
    expect(served.value).toMatchObject({ status: "finished", output: expect.stringContaining('{"state":"sent"}') });
    expect(sequencesOf(served.events)).toEqual(served.events.map((_, index) => index + 1));
    const types = (served.events as Event[]).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["call_asked", "call_answered"]));
    const late = [run.id, run.open_calls[0]!];
    const again = await driver.run(desk({ method: "answer", args: late, options: { output: "lost" } }));
    expect(again.error).toMatchObject({ code: "already_answered" });
  });

  test("reads the text while it is written", async () => {
    const parts = ["Good", " day 😀", ", and goodbye"];
    await using slow = await chatServer(async (response) => {
      startStream(response);
      for (const content of parts) {
        send(response, chunk({ content }));
        await sleep(300);
      }
      send(response, chunk({}, { finish_reason: "stop" }), "[DONE]");
      response.end();
    });
    const modelOptions = ["--provider", "openai-compatible", "--base-url", slow.baseUrl, "--model", "m"];
    const client = { api_key: await keyOf("examples/assistant.json", ...modelOptions) };
    const { value } = await driver.run(job({ method: "create", options: { name: "Text", input: "Hello" }, client }));
    const args = [(value as { id: string }).id];
    const read = await driver.run(job({ method: "events", args, onText: "record", client, realTime: true }));
    expect(read.texts.slice(-1)).toEqual([[parts.join(""), 1, 1]]);
    expect(read.texts.length).toBeGreaterThan(1);
    for (const [text] of read.texts as [string][]) expect(parts.join("").startsWith(text)).toBe(true);
    expect((read.value as Event[]).at(-1)).toMatchObject({ type: "output", text: parts.join("") });
  });

  test("reports a wrong key", async () => {
    const { error } = await driver.run(job({ method: "agent", client: { api_key: "ak_wrong" } }));
    expect(error).toMatchObject({ name: "AuthenticationError", message: "GET /ext/v1/agent: 401 Invalid API key" });
  });
});

const sequencesOf = (events: unknown[]): (number | null)[] => (events as Event[]).map(({ sequence }) => sequence);

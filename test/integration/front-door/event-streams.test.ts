import { beforeAll, describe, expect, test } from "vitest";
import { follow, streamedWork } from "./streamed-work.ts";
import { headersOf, type UploadServerProcess, send, startUploadServer } from "./upload-process.ts";

// The bundle of the upload server as a process, against a stand-in for AWS. The turn runs in the test's process, as it would in
// `advance`: all that the server knows of it is in the table.

let service: UploadServerProcess;
beforeAll(async () => {
  service = await startUploadServer("web-function");
  return async () => {
    service.child.kill("SIGKILL");
    await service.exited;
  };
});

const accept = { accept: "text/event-stream" };
const path = (runId: string) => `/ext/v1/runs/${runId}/events`;

describe("a stream of events", () => {
  test("stays open, has each event and the text that a model writes, and ends with the turn", async () => {
    const { runId, work, nextCall, close } = await streamedWork(service);
    const stream = await follow(service, runId);
    expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    await expect.poll(stream.eventTypes).toEqual(["input"]);
    const working = work();
    const first = await nextCall();
    await expect.poll(() => stream.received.text).toContain('"kind":"model_call"');
    first.writes("Once upon a time");
    await expect.poll(() => stream.received.text).toContain("event: delta");
    first.answers({ toolCalls: [{ id: "c", name: "list_files", input: {} }], finishReason: "tool-calls" });
    const second = await nextCall();
    await expect.poll(stream.eventTypes).toContain("model_call");
    expect(stream.hasEnded()).toBe(false);
    second.answers({ text: "Done." });
    await working;
    await stream.done;
    expect(stream.hasEnded()).toBe(true);
    expect(stream.received.text).toMatch(/event: end\ndata: \{"status":"finished"\}\n\n$/);
    expect(stream.eventTypes().at(-1)).toBe("output");
    close();
  });

  test("continues after Last-Event-ID, and many streams of one run get the same", async () => {
    const { runId, work, nextCall, close } = await streamedWork(service);
    const streams = await Promise.all(
      Array.from({ length: 20 }, (_, index) => follow(service, runId, index === 0 ? { "last-event-id": "1" } : {})),
    );
    await expect.poll(() => streams[1]?.eventTypes()).toEqual(["input"]);
    expect(streams[0]?.eventTypes()).toEqual([]);
    const working = work();
    (await nextCall()).answers({ text: "Done." });
    await working;
    await Promise.all(streams.map(({ done }) => done));
    const types = streams.map(({ eventTypes }) => eventTypes().join());
    expect(new Set(types)).toEqual(new Set(["model_call,output", "input,model_call,output"]));
    close();
  });
});

describe("before a stream", () => {
  test("the key is checked, and then the run; without Accept the answer is a page", async () => {
    const { runId, close } = await streamedWork(service);
    const unknown = { authorization: `Bearer ak_${"a".repeat(49)}` };
    const answers = [
      await send(service, undefined, { method: "GET", path: path(runId), headers: { ...accept, ...unknown } }),
      await send(service, undefined, { method: "GET", path: path(crypto.randomUUID()), headers: accept }),
      await send(service, undefined, {
        method: "GET",
        path: path(runId),
        headers: { ...accept, "last-event-id": "x" },
      }),
      await send(service, undefined, { method: "POST", path: path(runId), headers: accept }),
      await send(service, undefined, { method: "GET", path: path(runId) }),
    ];
    expect(answers.map(({ status, body }) => [status, (body as { code?: string }).code])).toEqual([
      [401, "key_invalid"],
      [404, "run_not_found"],
      [422, "invalid_argument"],
      [405, "method_not_allowed"],
      [200, undefined],
    ]);
    expect(answers.at(-1)?.body).toMatchObject({ data: [{ type: "input" }], next: null });
    close();
  });

  test("a request that did not come through CloudFront is refused, and no other path of the API is served", async () => {
    const forged = { "x-origin-secret": "guess" };
    const [refused, other] = [
      await send(service, undefined, { method: "GET", path: path("x"), headers: { ...accept, ...forged } }),
      await send(service, undefined, { method: "GET", path: "/ext/v1/runs" }),
    ];
    expect([refused.status, other.status]).toEqual([403, 404]);
  });
});

test("the parts of the deployment's check arrive one after the other", async () => {
  const response = await fetch(`http://127.0.0.1:${service.port}/stream-check`, { headers: headersOf(service) });
  const parts: string[] = [];
  for await (const part of response.body ?? []) parts.push(new TextDecoder().decode(part as Uint8Array));
  expect(parts).toEqual([": first\n\n", ": last\n\n"]);
});

test("a key that is disabled ends its streams", async () => {
  const { runId, disableKey, close } = await streamedWork(service);
  const stream = await follow(service, runId);
  await expect.poll(stream.eventTypes).toEqual(["input"]);
  await disableKey();
  await stream.done;
  expect(stream.hasEnded()).toBe(true);
  expect(stream.received.text).not.toContain("event: end");
  const again = await send(service, undefined, { method: "GET", path: path(runId), headers: accept });
  expect(again.status).toBe(401);
  close();
});

test("a stop ends streams, so that clients connect again, and the process", async () => {
  const other = await startUploadServer("fargate");
  const { runId, close } = await streamedWork(other);
  const stream = await follow(other, runId);
  await expect.poll(stream.eventTypes).toEqual(["input"]);
  expect(await other.end()).toBe(0);
  await stream.done;
  expect(stream.hasEnded()).toBe(true);
  expect(stream.received.text).not.toContain("event: end");
  close();
});

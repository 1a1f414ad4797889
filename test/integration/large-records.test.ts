import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { type Service, startService } from "./service.ts";

// Records of over 256 KiB are read in a thread of their own.

const text = "Ä large record. ".repeat(60_000); // 1 MB
let service: Service;
let large: string;
let small: string;
beforeAll(async () => {
  service = await startService();
  [large, small] = await Promise.all([finishedRun(text), finishedRun("A small one.")]);
  return () => service[Symbol.asyncDispose]();
});

async function finishedRun(input_text: string): Promise<string> {
  const { id } = (await json("POST", "/ext/v1/runs", { name: "record", input_text })) as { id: string };
  for (;;) {
    const { status } = (await json("GET", `/ext/v1/runs/${id}`)) as { status: string };
    if (status === "finished") return id;
    await sleep(50);
  }
}

async function send(method: string, path: string, body?: object, headers = {}): Promise<Response> {
  const operator = new URL(service.consoleUrl).hash.slice(1);
  return fetch(service.baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${path.startsWith("/manage") ? operator : service.apiKey}`,
      ...(body && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function json(method: string, path: string, body?: object): Promise<unknown> {
  const response = await send(method, path, body);
  expect([method, path, response.status < 300]).toEqual([method, path, true]);
  return response.json();
}

/** Without those of the body: a short answer is not compressed. */
function headerNames({ headers }: Response): string[] {
  const ofBody = new Set(["content-encoding", "content-length", "vary"]);
  return [...headers.keys()].filter((name) => !ofBody.has(name)).toSorted();
}

describe("a large record is read as a small one", () => {
  test.each(["/ext/v1", "/manage/v1"])("%s: its events have the whole text, and every header", async (api) => {
    const [one, other] = await Promise.all([
      send("GET", `${api}/runs/${large}/events`),
      send("GET", `${api}/runs/${small}/events`),
    ]);
    const { data } = (await one.json()) as { data: { text?: string }[] };
    expect(data[0]?.text === text).toBe(true);
    expect(headerNames(one)).toEqual(headerNames(other));
  });

  test("its bundle, comparison and model request", async () => {
    const bundle = Buffer.from(await (await send("GET", `/manage/v1/runs/${large}/export`)).arrayBuffer());
    expect(bundle.subarray(0, 2).toString()).toBe("PK");
    const compared = await json("GET", `/manage/v1/runs/${large}/comparison?other_run_id=${small}`);
    const { run, other } = compared as Record<"run" | "other", { run_id: string }>;
    expect([run.run_id, other.run_id]).toEqual([large, small]);
    const request = await json("GET", `/manage/v1/runs/${large}/request?at=1.1`);
    expect(JSON.stringify(request).includes(text)).toBe(true);
  });

  test("a fork of it runs to its end", async () => {
    const fork = (await json("POST", `/manage/v1/runs/${large}/fork`, { at: "1.0" })) as { id: string };
    let status = "";
    while (status !== "finished") {
      await sleep(50);
      ({ status } = (await json("GET", `/ext/v1/runs/${fork.id}`)) as { status: string });
    }
    expect(fork.id).not.toBe(large);
  });

  test("errors of its operations are those of small ones", async () => {
    const [one, other] = await Promise.all(
      [large, small].map(async (id) => (await send("POST", `/manage/v1/runs/${id}/fork`, { at: "9.9" })).json()),
    );
    expect(one).toEqual(JSON.parse(JSON.stringify(other).replaceAll(small, large)));
  });

  test("HEAD has no body, and a stream of its events begins and ends", async () => {
    const head = await send("HEAD", `/ext/v1/runs/${large}/events`);
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const stream = await send("GET", `/ext/v1/runs/${large}/events`, undefined, { accept: "text/event-stream" });
    expect(await stream.text()).toContain("event: end");
  });
});

test("20 clients that leave in the middle of a bundle hold no place", async () => {
  const leaving = Array.from({ length: 20 }, async () => {
    const gone = new AbortController();
    const { body } = await fetch(`${service.baseUrl}/manage/v1/runs/${large}/export`, {
      headers: { authorization: `Bearer ${new URL(service.consoleUrl).hash.slice(1)}` },
      signal: gone.signal,
    });
    await body?.getReader().read();
    gone.abort();
  });
  await Promise.all(leaving);
  expect((await send("GET", `/manage/v1/runs/${large}/export`)).status).toBe(200);
  expect(service.errors()).toBe("");
});

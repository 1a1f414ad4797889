import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createModelFetch } from "../../src/agent/models/errors/http-client.ts";
import { openModel } from "../../src/agent/models/open-model.ts";
import type { ModelConfiguration } from "../../src/agent/model.ts";
import { modelServer, type Reply } from "./model-server.ts";

const type = /event-stream/;

const slowReply: Reply = async (response) => {
  await sleep(500);
  response.writeHead(200, { "content-type": "text/event-stream" }).end("data: 1\n\n");
};

test("a stream that began is given up sooner than a model that thinks first", async () => {
  await using server = await modelServer(async (response) => {
    await sleep(600); // longer than `next`, shorter than `first`
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
  });
  const fetch = createModelFetch({ idleTimeout: { first: 10_000, next: 200 }, type });
  const response = await fetch(server.baseUrl, { method: "POST", body: "{}" });
  await expect(response.text()).rejects.toMatchObject({ message: "no data received for 0.2 s" });
});

test("the first byte of the next call on the same connection may take longer again", async () => {
  await using server = await modelServer(slowReply, slowReply);
  const fetch = createModelFetch({ idleTimeout: { first: 10_000, next: 200 }, type });
  for (let call = 0; call < 2; call++) {
    const response = await fetch(server.baseUrl, { method: "POST", body: "{}" });
    expect(await response.text()).toBe("data: 1\n\n");
  }
  const [one, two] = server.received;
  expect(two?.port).toBe(one?.port);
});

const secret = "env:KEY";

test.each<[string, (baseUrl: string) => ModelConfiguration]>([
  [
    "openai-compatible",
    (baseUrl) => ({ provider: "openai-compatible", enabled: true, baseUrl, model: "m", secret, idleSeconds: 0.2 }),
  ],
  [
    "openai-responses",
    (baseUrl) => ({ provider: "openai-responses", enabled: true, baseUrl, model: "m", secret, idleSeconds: 0.2 }),
  ],
  ["anthropic", (baseUrl) => ({ provider: "anthropic", enabled: true, baseUrl, model: "m", secret, idleSeconds: 0.2 })],
])("the setting of a model limits the calls of %s", async (_, configuration) => {
  await using server = await modelServer(() => {});
  const opened = await openModel(configuration(server.baseUrl), undefined, async () => "sk-1");
  if ("failure" in opened) throw new Error(opened.failure.title);
  const outcome = await opened.model({
    instructions: "Be brief.",
    messages: [{ role: "user", text: "Hello" }],
    tools: [],
    signal: new AbortController().signal,
  } as unknown as Parameters<typeof opened.model>[0]);
  expect(outcome).toMatchObject({
    failure: { category: "model_unavailable", retryable: true, title: expect.stringContaining("for 0.2 s") },
  });
});

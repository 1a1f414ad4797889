import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { fileText } from "./admin.ts";
import {
  chatServer,
  chunk,
  rejects,
  type Reply,
  streams,
  toolCallChunk,
} from "../providers/chat-completions-server.ts";
import { createRun, finished, modelAt, newDataDir, type Service, startService } from "./service.ts";

const writes = streams(
  chunk({ role: "assistant" }),
  toolCallChunk(0, { id: "call-1", name: "write_file", arguments: '{"name":"report.txt","content":"42"}' }),
  chunk({}, { finish_reason: "tool_calls" }),
);
const answers = streams(
  chunk({ role: "assistant", content: "The answer is 42." }),
  chunk({}, { finish_reason: "stop" }),
);

const hangs: Reply = () => {};

const start = (baseUrl: string, dataDir = newDataDir()): Promise<Service> => startService(dataDir, modelAt(baseUrl));

test("a model on an OpenAI-compatible server runs the agent with its tools", async () => {
  await using server = await chatServer(writes, answers);
  await using service = await start(server.baseUrl);
  const runId = await createRun(service, { input_text: "How much?" });
  expect(await finished(service, runId)).toEqual({
    agent_id: runId,
    loop_status: "finished",
    transcript: [
      { role: "input_to_agent", text: "How much?" },
      { role: "output_from_agent", text: "The answer is 42." },
    ],
  });
  expect(await fileText(service.dataDir, runId, "report.txt")).toBe("42");
});

test("kill -9 during a model call does not repeat the recorded step", async () => {
  await using server = await chatServer(writes, hangs, answers);
  const first = await start(server.baseUrl);
  const runId = await createRun(first, { input_text: "How much?" });
  while (server.received.length < 2) await sleep(10);
  await first.end("SIGKILL");

  await using second = await start(server.baseUrl, first.dataDir);
  const run = await finished({ ...second, apiKey: first.apiKey }, runId);
  expect([run.loop_status, run.transcript.at(-1)?.text]).toEqual(["finished", "The answer is 42."]);
  expect(server.received).toHaveLength(3); // two steps, and one call repeated after the kill
  expect(server.received[2]?.body.messages).toEqual(server.received[1]?.body.messages);
});

test("waits for a busy provider as long as it asks, and fails the run when it rejects the call", async () => {
  await using server = await chatServer(rejects(429, "busy", { "retry-after": "1" }), answers, rejects(401, "no"));
  await using service = await start(server.baseUrl);
  const startedAt = performance.now();
  expect((await finished(service, await createRun(service, { input_text: "a" }))).loop_status).toBe("finished");
  expect(performance.now() - startedAt).toBeGreaterThan(1_000);
  const refused = await finished(service, await createRun(service, { input_text: "b" }));
  expect(refused).toMatchObject({
    loop_status: "technical_error",
    transcript: [{ role: "input_to_agent", text: "b" }],
  });
});

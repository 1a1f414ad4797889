import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { stopRun } from "../../src/runs/control/control-run.ts";
import { openAiCompatible } from "../../src/agent/models/openai/openai-compatible.ts";
import { advance } from "../../src/workflow/advance.ts";
import { fakeAwsStores } from "../support/fake-aws/platform.ts";
import { newRun, putAgent } from "../support/scripted-runs.ts";
import { chatServer, chunk, type Reply, send, startStream, streams } from "../providers/chat-completions-server.ts";
import { done } from "./admin.ts";
import { createRun, finished, modelAt, newDataDir, read, startService } from "./service.ts";

/** A reply that streams a word every 50 ms until the client disconnects, and counts them. */
function endlessReply(): { reply: Reply; isStreaming: () => boolean; words: () => number } {
  let [open, words] = [false, 0];
  const reply = async (response: ServerResponse): Promise<void> => {
    open = true;
    response.on("close", () => (open = false));
    startStream(response);
    while (!response.destroyed) {
      send(response, chunk({ content: "and " }));
      words++;
      await sleep(50);
    }
  };
  return { reply, isStreaming: () => open, words: () => words };
}

/** On a busy machine, they take longer. */
const wordsIn5s = 100;

test("run stop (local): terminates the run at once, aborts the provider's stream and drops queued inputs", async () => {
  const { reply, isStreaming, words } = endlessReply();
  await using server = await chatServer(reply, streams(chunk({ content: "never" })));
  await using service = await startService(newDataDir(), modelAt(server.baseUrl));
  const runId = await createRun(service, { input_text: "Talk." });
  await expect.poll(isStreaming).toBe(true);
  await done(service.dataDir, "run", "input", runId, "--text", "And then?");

  await done(service.dataDir, "run", "stop", runId);
  const before = words();
  expect((await read(service, runId)).loop_status).toBe("terminated");
  await expect.poll(isStreaming, { timeout: 30_000, interval: 5 }).toBe(false);
  expect(words() - before).toBeLessThan(wordsIn5s);

  await sleep(300);
  expect(await read(service, runId)).toEqual({
    agent_id: runId,
    loop_status: "terminated",
    transcript: [{ role: "input_to_agent", text: "Talk." }],
  });
  expect(server.received).toHaveLength(1);
});

test("run stop (AWS): the streaming invocation stops within 5 s", async () => {
  const { reply, isStreaming, words } = endlessReply();
  await using server = await chatServer(reply);
  const stores = fakeAwsStores();
  await putAgent(stores);
  await newRun(stores, "r", Date.now(), "Talk.");
  const model = openAiCompatible({ baseUrl: server.baseUrl, model: "m" })();
  const working = advance(
    {
      ...stores,
      now: Date.now,
      secretOf: async () => undefined,
      openModel: async () => ({ model, name: "m", provider: "p" }),
    },
    { runId: "r", turn: 1 },
    { signal: new AbortController().signal, deadline: Infinity },
  );
  await expect.poll(isStreaming).toBe(true);
  await sleep(500);

  const before = words();
  // Step Functions does not stop a Lambda invocation in progress.
  const workflow = { start: async () => {}, stop: async () => {} };
  await stopRun({ ...stores, workflow, now: Date.now }, "r");
  expect((await stores.runs.read("r"))?.run.status).toBe("terminated");
  expect(await working).toEqual({ done: false, turn: 1 });
  await expect.poll(isStreaming, { timeout: 30_000, interval: 5 }).toBe(false);
  expect(words() - before).toBeLessThan(wordsIn5s);
  expect(
    await advance(
      { ...stores, now: Date.now, secretOf: async () => undefined },
      { runId: "r", turn: 1 },
      { signal: new AbortController().signal, deadline: Infinity },
    ),
  ).toEqual({ done: true, turn: 1 });
  expect((await stores.runs.load("r"))?.journal).toEqual([]);
});

test("inputs sent during a turn are queued and processed in order", async () => {
  const { promise: asked, resolve: answer } = Promise.withResolvers<undefined>();
  const says = streams(chunk({ content: "Yes." }), chunk({}, { finish_reason: "stop" }));
  const late: Reply = async (...exchange) => {
    await asked;
    await says(...exchange);
  };
  await using server = await chatServer(late, says, says);
  await using service = await startService(newDataDir(), modelAt(server.baseUrl));
  const runId = await createRun(service, { input_text: "first" });
  await done(service.dataDir, "run", "input", runId, "--text", "second");
  await done(service.dataDir, "run", "input", runId, "--text", "third");
  expect((await read(service, runId)).transcript).toHaveLength(1);
  answer(undefined);
  const run = await finished(service, runId);
  expect(run.loop_status).toBe("finished");
  expect(run.transcript.map(({ role, text }) => (role === "input_to_agent" ? text : role))).toEqual([
    "first",
    "output_from_agent",
    "second",
    "output_from_agent",
    "third",
    "output_from_agent",
  ]);
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  chatServer,
  chunk,
  rejects,
  type Reply,
  send,
  startStream,
  streams,
} from "../providers/chat-completions-server.ts";
import { admin, done } from "./admin.ts";
import { createRun, finished, modelAt, newDataDir, read, type Service, startService } from "./service.ts";

const answers = streams(
  chunk({ role: "assistant", content: "From the backup." }),
  chunk({}, { finish_reason: "stop" }),
);
/** Longer than a call waits for retries. */
const down = rejects(503, "down", { "retry-after": "40" });
const hangs: Reply = () => {};
const breaksOff: Reply = (response) => {
  startStream(response);
  send(response, chunk({ role: "assistant", content: "The answer is" }));
  setTimeout(() => response.destroy(), 20);
};

/** Starts the service with a first model, and gives its agent a fallback on the other server. */
async function start(first: string, backup: string, ...more: string[]): Promise<Service> {
  const service = await startService(newDataDir(), [...modelAt(first), ...more]);
  const { dataDir, templateId } = service;
  const { organization_id: organization } = await done(dataDir, "agent", "show", templateId);
  const server = ["--base-url", backup, "--model", "small"];
  await done(dataDir, "org", "set-model", String(organization), "backup", "--provider", "openai-compatible", ...server);
  const fallback = { modelConfiguration: "backup" };
  const file = join(dataDir, "agent.json");
  writeFileSync(file, JSON.stringify({ name: "Agent", instructions: "Answer.", tools: [], fallback }));
  await done(dataDir, "agent", "update", templateId, "--file", file);
  return service;
}

test.concurrent("kill -9 while the fallback is asked repeats its call, and none of the first model", async () => {
  await using one = await chatServer(down);
  await using two = await chatServer(hangs, answers);
  const first = await start(one.baseUrl, two.baseUrl);
  const runId = await createRun(first, { input_text: "How much?" });
  while (two.received.length < 1) await sleep(10);
  await first.end("SIGKILL");

  await using second = await startService(first.dataDir, modelAt(one.baseUrl));
  const run = await finished({ ...second, apiKey: first.apiKey }, runId);
  expect([run.loop_status, run.transcript.at(-1)?.text]).toEqual(["finished", "From the backup."]);
  expect([one.received.length, two.received.length]).toEqual([1, 2]);
  const { stdout } = await admin(first.dataDir, "run", "show", runId, "--events");
  expect(stdout).toContain("small, fallback backup");
  expect(stdout).toMatch(/fallback: The model server .* answered 503: down/);
});

test.concurrent.each([
  ["breaks off each time", breaksOff, 5],
  ["sends nothing", hangs, 2],
])("the fallback answers for a model that %s", async (_, reply, atLeast) => {
  await using one = await chatServer(...Array.from({ length: 20 }, () => reply));
  await using two = await chatServer(answers);
  await using service = await start(one.baseUrl, two.baseUrl, "--model-idle-seconds", "5");
  const runId = await createRun(service, { input_text: "How much?" });
  for (let polls = 0; polls < 600 && (await read(service, runId)).loop_status === "running"; polls++) await sleep(100);
  expect((await finished(service, runId)).transcript.at(-1)?.text).toBe("From the backup.");
  expect(one.received.length).toBeGreaterThanOrEqual(atLeast);
  expect(two.received).toHaveLength(1);
});

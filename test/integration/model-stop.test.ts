import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answersWithResult, callsTool, chatServer, type Reply } from "../providers/chat-completions-server.ts";
import { admin, done, listed, rejected } from "./admin.ts";
import { create, createRun, finished, modelAt, newDataDir, type Service, startService } from "./service.ts";

/** What the model does next. */
const replies: Reply[] = [];
const after =
  (milliseconds: number, reply: Reply): Reply =>
  async (...call) => {
    await sleep(milliseconds);
    return reply(...call);
  };

const next: Reply = (...call) => (replies.shift() ?? answersWithResult)(...call);

let model: Awaited<ReturnType<typeof chatServer>>;
let service: Service;
const dataDir = newDataDir();
beforeAll(async () => {
  model = await chatServer(...Array.from({ length: 100 }, () => next));
  service = await startService(dataDir, modelAt(model.baseUrl));
});
afterAll(async () => {
  await service.end("SIGTERM");
  await model[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true, force: true });
});

const statusOf = async (id: string) => (await done(dataDir, "run", "show", id))["status"];

test("one command stops all model calls, and one lifts it: no run loses its record", async () => {
  const listsFiles = callsTool("list_files", {});
  replies.push(listsFiles, ...Array.from({ length: 8 }, () => after(1_500, listsFiles)));
  const id = await createRun(service, { input_text: "Work." });
  await expect.poll(() => model.received.length).toBeGreaterThan(1);

  const [organization] = await listed<{ id: string }>(dataDir, "org", "stop-models", "--all");
  await expect.poll(() => statusOf(id)).toBe("technical_error");
  const called = model.received.length;
  const { stdout: failed } = await admin(dataDir, "run", "show", id);
  expect(failed).toMatch(/model_configuration.*model calls were stopped at 20\S+Z; an operator can resume them/s);
  expect((await admin(dataDir, "org", "show", organization?.id ?? "")).stdout).toMatch(/^models_stopped_at +20/m);

  const refused = await create(service, { input_text: "More." });
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("model calls were stopped at")]);
  await done(dataDir, "run", "retry", id);
  await expect.poll(() => statusOf(id)).toBe("technical_error");
  expect(model.received.length).toBe(called);

  replies.splice(0);
  await done(dataDir, "org", "resume-models", "--all");
  const retried = await listed<{ id: string }>(dataDir, "run", "retry", "--all");
  expect(retried.map((each) => each.id)).toEqual([id]);
  expect((await finished(service, id)).loop_status).toBe("finished");
  expect(await done(dataDir, "org", "show", organization?.id ?? "")).toMatchObject({ models_stopped_at: null });
  const actions = (await listed<{ action: string }>(dataDir, "audit")).map(({ action }) => action);
  expect(actions).toEqual(expect.arrayContaining(["org.stop-models", "org.resume-models"]));
});

test("the commands need an organization or --all", async () => {
  expect(await rejected(dataDir, "org", "stop-models")).toBe("org stop-models needs either an ID or --all");
  expect(await rejected(dataDir, "org", "resume-models", "x", "--all")).toContain("either an ID or --all");
});

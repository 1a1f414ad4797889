import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answersWithResult, callsTool, chatServer, rejects, type Reply } from "../providers/chat-completions-server.ts";
import { admin, done, fileText } from "./admin.ts";
import { createRun, finished, modelAt, newDataDir, type Service, startService } from "./service.ts";

/** What the model does next. Without a reply, it rejects the key. */
const replies: Reply[] = [];
const hanging: Reply = () => {};
const refuses = rejects(401, "Incorrect API key provided.");

let model: Awaited<ReturnType<typeof chatServer>>;
let service: Service;
const dataDir = newDataDir();
beforeAll(async () => {
  model = await chatServer(
    ...Array.from(
      { length: 100 },
      (): Reply =>
        (...call) =>
          (replies.shift() ?? refuses)(...call),
    ),
  );
  service = await startService(dataDir, modelAt(model.baseUrl));
});
afterAll(async () => {
  await service.end("SIGTERM");
  await model[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true, force: true });
});

async function failedRun(...first: Reply[]): Promise<string> {
  replies.push(...first);
  const id = await createRun(service, { input_text: "Work." });
  await expect.poll(async () => (await done(dataDir, "run", "show", id))["status"]).toBe("technical_error");
  return id;
}

test("run retry continues a failed turn after its last record", async () => {
  const id = await failedRun(callsTool("write_file", { name: "a.txt", content: "once" }));
  const called = model.received.length;
  replies.push(answersWithResult);
  expect(await done(dataDir, "run", "retry", id)).toMatchObject({ id, status: "running" });
  expect((await finished(service, id)).loop_status).toBe("finished");
  expect(model.received.length - called).toBe(1);
  const messages = model.received.at(-1)?.body.messages as { role: string }[];
  expect(messages.filter(({ role }) => role === "tool")).toHaveLength(1);
  expect(await fileText(dataDir, id, "a.txt")).toBe("once");
  const again = await admin(dataDir, "run", "retry", id);
  expect([again.code, again.stderr]).toEqual([
    1,
    `admin: run ${id} is finished; only a run with technical_error can be retried\n`,
  ]);
  expect(JSON.stringify(await done(dataDir, "audit"))).toContain("run.retry");
});

test("a retried turn fails again, and can be retried again", async () => {
  const id = await failedRun();
  await done(dataDir, "run", "retry", id);
  await expect.poll(async () => (await done(dataDir, "run", "show", id))["status"]).toBe("technical_error");
  replies.push(answersWithResult);
  await done(dataDir, "run", "retry", id);
  expect((await finished(service, id)).loop_status).toBe("finished");
});

test("run retry --all and run stop --all change all runs of an agent", async () => {
  const ids = [await failedRun(), await failedRun(), await failedRun()];
  const begun = new Date(Date.now() + 60_000).toISOString();
  const none = await admin(dataDir, "run", "retry", "--all", "--since", begun);
  expect([none.code, none.stdout]).toEqual([0, "No runs have this status.\n"]);
  replies.push(hanging, hanging, hanging);
  const { stdout } = await admin(dataDir, "run", "retry", "--all", "--agent", service.templateId);
  for (const id of ids) expect(stdout).toContain(id);
  expect(stdout).toContain("3 changed");
  const stopped = await admin(dataDir, "run", "stop", "--all", "--json");
  expect((JSON.parse(stopped.stdout) as { data: { status: string }[] }).data.map(({ status }) => status)).toEqual([
    "terminated",
    "terminated",
    "terminated",
  ]);
});

test.each([
  [["run", "retry"], "run retry needs either an ID or --all"],
  [["run", "stop", "x", "--all"], "run stop needs either an ID or --all"],
  [["run", "stop", "x", "--since", "2026-01-01"], "--since needs --all"],
  [["run", "retry", "--all", "--agent", "a", "--org", "b"], "--agent and --org cannot be used together"],
])("%j is refused", async (args, message) => {
  const { code, stderr } = await admin(dataDir, ...args);
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
});

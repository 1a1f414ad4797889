import { resultFromTaskOutcome, TaskCancelledError } from "@modelcontextprotocol/ext-tasks/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scriptedModel } from "../../browser/scripted-model.ts";
import { connectTasks, sendRpc, taskCapabilities } from "../../support/mcp-clients.ts";
import { manageService, type ManageService } from "../../support/manage-service.ts";
import { keyOfOtherAgent } from "../../support/other-agent.ts";

const held = Promise.withResolvers<void>();
const model = await scriptedModel((input) => {
  if (input.startsWith("fail")) return { status: 401, text: "invalid api key" };
  return { text: `Done with: ${input}`, ...(input.startsWith("hold") && { until: held.promise }) };
});

let service: ManageService;
let session: Awaited<ReturnType<typeof connectTasks>>;
beforeAll(async () => {
  service = await manageService({
    model: { enabled: true, provider: "openai-compatible", baseUrl: model.baseUrl, model: "m" },
  });
  session = await connectTasks(service);
});
afterAll(async () => {
  held.resolve();
  await session.close();
  await session.client.close();
  await service[Symbol.asyncDispose]();
  await model.close();
});

const input = (text: string) => ({ name: "Test", input_text: text });

/** Starts a run as a task. Resolves with its id. */
async function startTask(text: string): Promise<string> {
  const { result } = await sendRpc(
    service,
    "tools/call",
    { name: "start_run", arguments: input(text) },
    taskCapabilities,
  );
  expect(result).toMatchObject({ resultType: "task", status: "working", ttlMs: null, pollIntervalMs: 1_000 });
  return String(result?.["taskId"]);
}

const task = (method: string, taskId: string, more = {}) =>
  sendRpc(service, `tasks/${method}`, { taskId, ...more }, taskCapabilities);

async function settled(taskId: string): Promise<Record<string, unknown>> {
  await expect.poll(async () => (await task("get", taskId)).result?.["status"]).not.toBe("working");
  return (await task("get", taskId)).result ?? {};
}

test("a client with the extension gets a task for start_run, and its result when the run has ended", async () => {
  const execution = await session.callTool("start_run", input("Hello"));
  expect(execution.kind).toBe("task");
  const { outcome } = await execution.settle();
  const result = resultFromTaskOutcome(outcome) as unknown as { structuredContent: object; content: object[] };
  expect(result.structuredContent).toMatchObject({ status: "finished", output: "Done with: Hello" });
  expect(result.content[0]).toMatchObject({
    type: "text",
    text: expect.stringContaining("Done with: Hello") as string,
  });
});

test("other tools answer such a client directly", async () => {
  const execution = await session.callTool("get_run", { run_id: await startTask("Hello") });
  expect(execution.kind).toBe("immediate");
});

test("a client without the extension gets no task", async () => {
  const { result } = await sendRpc(service, "tools/call", { name: "start_run", arguments: input("Hello") });
  expect(result).toMatchObject({ resultType: "complete", structuredContent: { status: "running" } });
});

test("a run that fails completes its task with an error that names reason and remedy", async () => {
  const { status, result } = await settled(await startTask("fail"));
  expect([status, result]).toEqual([
    "completed",
    expect.objectContaining({
      isError: true,
      structuredContent: expect.objectContaining({ status: "technical_error" }),
    }),
  ]);
});

test("tasks/cancel stops the run, and the client sees the task as cancelled", async () => {
  const execution = await session.callTool("start_run", input("hold"));
  await execution.cancel();
  const { outcome } = await execution.settle();
  expect(() => resultFromTaskOutcome(outcome)).toThrow(TaskCancelledError);
});

test("tasks/cancel of an ended task is accepted and leaves the run open for further inputs", async () => {
  const taskId = await startTask("Hello");
  const before = await settled(taskId);
  expect(await task("cancel", taskId)).toMatchObject({ status: 200, result: { resultType: "complete" } });
  expect(await service.platform.runs.status(taskId)).toBe("finished");

  const send = { name: "send_input", arguments: { run_id: taskId, input_text: "hold the second turn" } };
  await sendRpc(service, "tools/call", send, taskCapabilities);
  expect(await service.platform.runs.status(taskId)).toBe("running");
  // A task ends once. Its result stays that of the first turn.
  const during = await settled(taskId);
  expect([before["status"], during["status"]]).toEqual(["completed", "completed"]);
  expect(JSON.stringify(during["result"])).toContain("Done with: Hello");
  await task("cancel", taskId);
  expect(await service.platform.runs.status(taskId)).toBe("running");
});

test("tasks/update of a task that asks for nothing is accepted", async () => {
  const taskId = await startTask("Hello");
  const responses = { "1.1.0": { action: "accept", content: { answer: "x" } } };
  expect((await task("update", taskId, { inputResponses: responses })).result).toMatchObject({
    resultType: "complete",
  });
});

test("a task of another agent is unknown, and cannot be cancelled", async () => {
  const taskId = await startTask("hold for another");
  const other = {
    baseUrl: service.baseUrl,
    apiKey: await keyOfOtherAgent(service.platform.accounts, service.templateId),
  };
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    const { error } = await sendRpc(other, method, { taskId, inputResponses: {} }, taskCapabilities);
    expect(error).toEqual({ code: -32_602, message: "Task not found" });
  }
  const { error } = await task("get", "00000000-0000-4000-8000-000000000000");
  expect(error).toEqual({ code: -32_602, message: "Task not found" });
  expect(await service.platform.runs.status(taskId)).toBe("running");
});

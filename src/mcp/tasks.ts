import { type CallToolResult, type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { ServiceError, StoreUnavailable } from "../errors.ts";
import { log } from "../log.ts";
import { findOwnRun } from "../runs/control/own-run.ts";
import type { Run } from "../runs/run-types.ts";
import { type McpCall, operationCall } from "./call.ts";
import { unavailableText } from "./mcp-errors.ts";
import { activityLine, reportResult, reportRun } from "./run-report.ts";
import { acceptResponses, inputRequests } from "./task-input.ts";
import { inputSchema } from "./standard-schema.ts";

/** The extension for long tool calls: https://modelcontextprotocol.github.io/ext-tasks/specification/2026-07-28/tasks.html */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** Whether the client of this request understands tasks. */
export function declaresTasks({ server }: McpServer): boolean {
  return server.getClientCapabilities()?.extensions?.[tasksExtension] !== undefined;
}

/** The state of a task: a run's first turn. It ends once, also when the run continues with another input. */
type Task = {
  taskId: string;
  status: "working" | "input_required" | "completed" | "cancelled";
  /** What the run does, until it ends. */
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number | null;
  pollIntervalMs: number;
};

/** The result of a tool call that continues as a task. The SDK has no type for it. */
export async function newTask(call: McpCall, runId: string): Promise<CallToolResult> {
  const task = await taskOf(call, await findOwnRun(call.runs, call.principal, runId));
  return { resultType: "task", ...task } as unknown as CallToolResult;
}

/** `tasks/get`, `tasks/update` and `tasks/cancel`, for tasks of the key's agent. */
export function registerTasks(mcp: McpServer, call: McpCall): void {
  const { server } = mcp;
  const params = inputSchema("task", call);
  const onTask = (method: string, work: (run: Run, responses: Record<string, unknown>) => Promise<object>): void =>
    server.setRequestHandler(method, { params }, async ({ taskId }, { mcpReq }) => {
      try {
        const result = await work(await findOwnRun(call.runs, call.principal, taskId), mcpReq.inputResponses ?? {});
        return { resultType: "complete", ...result };
      } catch (error) {
        throw taskError(error, call.request.id);
      }
    });

  onTask("tasks/get", async (run) => {
    const task = await taskOf(call, run);
    if (task.status === "input_required") return { ...task, inputRequests: await inputRequests(mcp, call, run) };
    return task.status === "completed" ? { ...task, result: await resultOf(call, run) } : task;
  });
  onTask("tasks/update", async (run, responses) => {
    await acceptResponses(call, run, responses);
    return {};
  });
  onTask("tasks/cancel", async (run) => {
    // A finished run stays open for further inputs: only work in progress is cancelled.
    if (isOpen(await statusOf(call, run)))
      await call.handlers.stop_run(operationCall(call, { path: { run_id: run.id } }));
    return {};
  });
}

async function taskOf(call: McpCall, run: Run): Promise<Task> {
  const { retentionDays, pollInterval } = call;
  const { id, createdAt, updatedAt } = run;
  const status = await statusOf(call, run);
  return {
    taskId: id,
    status,
    ...(isOpen(status) && { statusMessage: activityLine(await call.describer.describe(run)) }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: retentionDays === undefined ? null : retentionDays * 86_400_000,
    pollIntervalMs: Math.max(1_000, 2 * pollInterval),
  };
}

/** A failed run completes its task with a tool error: `failed` is for errors of the protocol. */
async function statusOf({ runs }: McpCall, run: Run): Promise<Task["status"]> {
  if (run.status === "terminated") return (await runs.output(run, 1)) === undefined ? "cancelled" : "completed";
  if (run.status !== "running" || run.turn !== 1) return "completed";
  return run.askedUntil === undefined ? "working" : "input_required";
}

function isOpen(status: Task["status"]): boolean {
  return status === "working" || status === "input_required";
}

/** The result of the tool call. If the run continued with another input, it is the first turn's output alone. */
async function resultOf(call: McpCall, run: Run): Promise<object> {
  const first = run.turn > 1 ? await call.runs.output(run, 1) : undefined;
  if (first !== undefined) {
    const content = [{ type: "text", text: `Run ${run.id}. Output:\n${first}` }];
    const structuredContent = { run_id: run.id, status: run.status, output: first, next: "" };
    return { resultType: "complete", content, structuredContent };
  }
  const result = reportResult(await reportRun(call, run.id), call);
  return { resultType: "complete", ...result, ...(run.status === "technical_error" && { isError: true }) };
}

function taskError(error: unknown, requestId: string): ProtocolError {
  if (error instanceof ServiceError && error.code === "run_not_found") {
    return new ProtocolError(ProtocolErrorCode.InvalidParams, "Task not found");
  }
  if (error instanceof ServiceError) return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
  log("error", "MCP task request failed", { requestId, error });
  const message = error instanceof StoreUnavailable ? unavailableText : "The service failed unexpectedly.";
  return new ProtocolError(ProtocolErrorCode.InternalError, message);
}

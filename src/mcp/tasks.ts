import { type CallToolResult, type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { z } from "zod";
import { ServiceError, StoreUnavailable } from "../errors.ts";
import { log } from "../log.ts";
import { stopRun } from "../runs/control-run.ts";
import { readOwnRun } from "../runs/own-run.ts";
import type { RunView } from "../runs/types.ts";
import type { McpCall } from "./deps.ts";
import { unavailableText } from "./errors.ts";
import { reportResult, reportRun } from "./run-report.ts";

/** The extension for long tool calls: https://modelcontextprotocol.github.io/ext-tasks/specification/2026-07-28/tasks.html */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** Whether the client of this request understands tasks. */
export function declaresTasks({ server }: McpServer): boolean {
  return server.getClientCapabilities()?.extensions?.[tasksExtension] !== undefined;
}

/** The state of a task: a run's first turn. It ends once, also when the run goes on with another input. */
type Task = {
  taskId: string;
  status: "working" | "completed" | "cancelled";
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number | null;
  pollIntervalMs: number;
};

/** The result of a tool call that goes on as a task. The SDK has no type for it. */
export async function newTask(call: McpCall, runId: string): Promise<CallToolResult> {
  const task = taskOf(call, await readOwnRun(call.runs, call.principal, runId));
  return { resultType: "task", ...task } as unknown as CallToolResult;
}

const params = z.looseObject({ taskId: z.string().max(100) });

/** `tasks/get`, `tasks/update` and `tasks/cancel`, for tasks of the key's agent. */
export function registerTasks(mcp: McpServer, call: McpCall): void {
  const { server } = mcp;
  const onTask = (method: string, work: (view: RunView) => Promise<object>): void =>
    server.setRequestHandler(method, { params }, async ({ taskId }) => {
      try {
        const result = await work(await readOwnRun(call.runs, call.principal, taskId));
        return { resultType: "complete", ...result };
      } catch (error) {
        throw taskError(error, call.requestId);
      }
    });

  onTask("tasks/get", async (view) => {
    const task = taskOf(call, view);
    return task.status === "completed" ? { ...task, result: await resultOf(call, view) } : task;
  });
  // A task never asks for input, so there is nothing to answer.
  onTask("tasks/update", async () => ({}));
  onTask("tasks/cancel", async (view) => {
    // A finished run stays open for further inputs: only work in progress is cancelled.
    if (taskOf(call, view).status === "working") await stopRun(call, view.run.id);
    return {};
  });
}

function taskOf({ retentionDays, pollInterval }: McpCall, view: RunView): Task {
  const { id, createdAt, updatedAt } = view.run;
  return {
    taskId: id,
    status: statusOf(view),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: retentionDays === undefined ? null : retentionDays * 86_400_000,
    pollIntervalMs: Math.max(1_000, 2 * pollInterval),
  };
}

/** A failed run completes its task with a tool error: `failed` is for errors of the protocol. */
function statusOf({ run, transcript }: RunView): Task["status"] {
  if (transcript.some(({ role }) => role === "output_from_agent")) return "completed";
  if (run.status === "running") return "working";
  return run.status === "terminated" ? "cancelled" : "completed";
}

/** The result of the tool call. If the run went on, it is the first turn's output alone. */
async function resultOf(call: McpCall, { run, transcript }: RunView): Promise<object> {
  const first = transcript.find(({ role }) => role === "output_from_agent");
  if (first && run.turn > 1) {
    return { resultType: "complete", content: [{ type: "text", text: `Run ${run.id}. Output:\n${first.text}` }] };
  }
  const result = reportResult(await reportRun(call, run.id));
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

import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import type { RunStatus } from "../../runs/status.ts";
import type { McpCall } from "../call.ts";
import { toolError } from "../mcp-errors.ts";
import type { ChangedRun } from "./outputs.ts";

/** The result of a tool that changes a run: short, because wait_for_run and get_run describe the run. */
export function changedResult(id: string, status: RunStatus, next: string): CallToolResult {
  return {
    content: [{ type: "text", text: `Run ${id} is ${status}. ${next}` }],
    structuredContent: { run_id: id, status, next } satisfies ChangedRun,
  };
}

/** The result after a turn was started or an input was queued. */
export function startedResult(id: string, { named }: Pick<McpCall, "named">): CallToolResult {
  return changedResult(id, "running", named("Call wait_for_run with this run_id until the status is not running."));
}

/** A tool's callback whose errors become results that the model can read. */
export function guarded<Input>(
  { request }: McpCall,
  run: (input: Input, context: ServerContext) => Promise<CallToolResult>,
): (input: Input, context: ServerContext) => Promise<CallToolResult> {
  return async (input, context) => {
    try {
      return await run(input, context);
    } catch (error) {
      return toolError(error, request.id);
    }
  };
}

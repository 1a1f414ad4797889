import type { CallToolResult } from "@modelcontextprotocol/server";
import type { RunStatus } from "../../runs/status.ts";
import type { McpCall } from "../deps.ts";
import { toolError } from "../errors.ts";

/** The result of a tool that changes a run: short, because wait_for_run and get_run describe the run. */
export function changedResult(id: string, status: RunStatus, next: string): CallToolResult {
  return {
    content: [{ type: "text", text: `Run ${id} is ${status}. ${next}` }],
    structuredContent: { run_id: id, status, next },
  };
}

/** The result after a turn was started or an input was queued. */
export function startedResult(id: string): CallToolResult {
  return changedResult(id, "running", "Call wait_for_run with this run_id until the status is not running.");
}

/** A tool's callback whose errors become results that the model can read. */
export function guarded<Input>(
  { requestId }: McpCall,
  run: (input: Input) => Promise<CallToolResult>,
): (input: Input) => Promise<CallToolResult> {
  return async (input) => {
    try {
      return await run(input);
    } catch (error) {
      return toolError(error, requestId);
    }
  };
}

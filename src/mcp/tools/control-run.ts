import type { McpServer } from "@modelcontextprotocol/server";
import { type McpCall, operationCall } from "../call.ts";
import { inputSchema, outputSchema } from "../standard-schema.ts";
import { changedRun } from "./outputs.ts";
import { changedResult, guarded, startedResult } from "./tool.ts";

/** `send_input` and `stop_run`. */
export function registerControlTools(server: McpServer, call: McpCall): void {
  const { handlers, named } = call;
  server.registerTool(
    named("send_input"),
    {
      title: "Send input to a run",
      description: named(
        "Continues the conversation of a run with another input; the run keeps its files. A finished run starts its next " +
          "turn; a running one queues the input (at most 20) and continues with it. Then call wait_for_run.",
      ),
      inputSchema: inputSchema("send_input", call),
      outputSchema: outputSchema(changedRun),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    guarded(call, async ({ run_id, idempotency_key: key, ...body }) => {
      const { json } = await handlers.create_input(operationCall(call, { path: { run_id }, body, key }));
      return startedResult(json.id, call);
    }),
  );
  server.registerTool(
    named("stop_run"),
    {
      title: "Stop a run",
      description:
        "Ends a run for good: its work stops, and it accepts no further input. Its files can still be read. To stop " +
        "waiting, stop polling: the run continues.",
      inputSchema: inputSchema("stop_run", call),
      outputSchema: outputSchema(changedRun),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    guarded(call, async ({ run_id }) => {
      const { id, status } = await handlers.stop_run(operationCall(call, { path: { run_id } }));
      return changedResult(id, status, "Its files can still be read.");
    }),
  );
}

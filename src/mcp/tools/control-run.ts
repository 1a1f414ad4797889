import type { McpServer } from "@modelcontextprotocol/server";
import { acceptInputOnce, stopRun } from "../../runs/control-run.ts";
import { idempotencyOf } from "../../runs/idempotency.ts";
import { findOwnRun } from "../../runs/own-run.ts";
import type { McpCall } from "../deps.ts";
import { inputSchema, outputSchema } from "../standard-schema.ts";
import { changedRun } from "./outputs.ts";
import { changedResult, guarded, startedResult } from "./tool.ts";

/** `send_input` and `stop_run`. */
export function registerControlTools(server: McpServer, call: McpCall): void {
  const { runs, principal, named } = call;
  const starter = principal.starter && { starter: principal.starter };
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
    guarded(call, async ({ run_id, input_text, idempotency_key: key }) => {
      const { id } = await findOwnRun(runs, principal, run_id);
      const idempotency = key === undefined ? undefined : idempotencyOf(key, { input_text }, id);
      await acceptInputOnce({ ...call, ...starter }, id, input_text, idempotency);
      return startedResult(id, call);
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
      const { id } = await findOwnRun(runs, principal, run_id);
      const { status } = await stopRun(call, id);
      return changedResult(id, status, "Its files can still be read.");
    }),
  );
}

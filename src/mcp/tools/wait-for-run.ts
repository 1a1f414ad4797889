import type { McpServer } from "@modelcontextprotocol/server";
import { pause } from "../../async/backoff.ts";
import { findOwnRun } from "../../runs/own-run.ts";
import type { McpCall } from "../deps.ts";
import { reportResult, reportRun } from "../run-report.ts";
import { inputSchema, outputSchema } from "../standard-schema.ts";
import { runReport } from "./outputs.ts";
import { guarded } from "./tool.ts";

const annotations = { readOnlyHint: true, openWorldHint: false };

/** `wait_for_run` and `get_run`. */
export function registerWaitTools(server: McpServer, call: McpCall): void {
  const { maxWaitSeconds } = call;
  server.registerTool(
    "wait_for_run",
    {
      title: "Wait for a run",
      description:
        `Waits until a run has no turn in progress, at most ${maxWaitSeconds} s. Returns its status; while it is running, ` +
        "what it does now, steps and dollars; when it has finished, its output and files; when it has failed, the reason " +
        "and a remedy. Call it again while the status is running.",
      inputSchema: inputSchema("wait_for_run"),
      outputSchema: outputSchema(runReport),
      annotations,
    },
    guarded(call, async ({ run_id, seconds = maxWaitSeconds }) => {
      await untilIdle(call, run_id, Math.min(seconds, maxWaitSeconds));
      return reportResult(await reportRun(call, run_id));
    }),
  );
  server.registerTool(
    "get_run",
    {
      title: "Get a run",
      description: "Returns at once what wait_for_run returns. With output_offset, a later part of a long output.",
      inputSchema: inputSchema("get_run"),
      outputSchema: outputSchema(runReport),
      annotations,
    },
    guarded(call, async ({ run_id, output_offset }) => reportResult(await reportRun(call, run_id, output_offset))),
  );
}

/**
 * Resolves when the run has no turn in progress, when the time is over, or when the client has left.
 * Rejects when the key has ended.
 */
async function untilIdle(call: McpCall, id: string, seconds: number): Promise<void> {
  const { runs, principal, credential, pollInterval, signal } = call;
  const end = performance.now() + seconds * 1000;
  for (;;) {
    await credential.ifDue();
    const { status } = await findOwnRun(runs, principal, id);
    const left = end - performance.now();
    if (status !== "running" || left <= 0 || signal.aborted) return;
    await pause(Math.min(pollInterval, left), signal).catch(() => {});
  }
}

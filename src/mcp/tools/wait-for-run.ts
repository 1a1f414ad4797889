import type { McpServer } from "@modelcontextprotocol/server";
import { findOwnRun } from "../../runs/control/own-run.ts";
import { untilIdle } from "../../runs/read/until-idle.ts";
import type { McpCall } from "../call.ts";
import { reportResult, reportRun } from "../run-report.ts";
import { inputSchema, outputSchema } from "../standard-schema.ts";
import { progressReporter } from "../progress.ts";
import { type ReportOptions, reportSchema } from "./outputs.ts";
import { guarded } from "./tool.ts";

const annotations = { readOnlyHint: true, openWorldHint: false };

/** `wait_for_run` and `get_run`. */
export function registerWaitTools(server: McpServer, call: McpCall, options: ReportOptions): void {
  const { maxWaitSeconds, named } = call;
  server.registerTool(
    named("wait_for_run"),
    {
      title: "Wait for a run",
      description:
        `Waits until a run has no turn in progress, at most ${maxWaitSeconds} s. Returns its status; while it is running, ` +
        "what it does now, steps and dollars; when it has finished, its output and files; when it has failed, the reason " +
        "and a remedy. Call it again while the status is running." +
        (options.asks ? " It also returns when open_calls wait for answers: then answer them first." : ""),
      inputSchema: inputSchema("wait_for_run", call),
      outputSchema: outputSchema(reportSchema(options)),
      annotations,
    },
    guarded(call, async ({ run_id, seconds = maxWaitSeconds }, context) => {
      const { runs, credential, pollInterval: interval, signal } = call;
      const report = progressReporter(call, context);
      const read = async () => {
        const run = await findOwnRun(runs, await credential.caller(), run_id);
        await report?.(run);
        return run;
      };
      const { organizationId, agentId } = call.principal;
      using waiting = call.waits?.open([organizationId, agentId]);
      const longest = call.waits && !waiting ? 0 : Math.min(seconds, maxWaitSeconds);
      await untilIdle({ read, seconds: longest, interval, signal });
      return reportResult(await reportRun(call, run_id), call);
    }),
  );
  server.registerTool(
    named("get_run"),
    {
      title: "Get a run",
      description: named(
        "Returns at once what wait_for_run returns. With output_offset, a later part of a long output.",
      ),
      inputSchema: inputSchema("get_run", call),
      outputSchema: outputSchema(reportSchema(options)),
      annotations,
    },
    guarded(call, async ({ run_id, output_offset }) =>
      reportResult(await reportRun(call, run_id, output_offset), call),
    ),
  );
}

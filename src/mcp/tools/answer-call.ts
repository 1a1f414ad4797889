import type { McpServer } from "@modelcontextprotocol/server";
import { type McpCall, operationCall } from "../call.ts";
import { inputSchema, outputSchema } from "../standard-schema.ts";
import { changedRun } from "./outputs.ts";
import { changedResult, guarded } from "./tool.ts";

/** `answer_call`. */
export function registerAnswerTool(server: McpServer, call: McpCall): void {
  const { handlers, named } = call;
  server.registerTool(
    named("answer_call"),
    {
      title: "Answer a call",
      description: named(
        "Answers one of open_calls, for which the run waits: give one of decision, output and error. Ask the user; never " +
          "decide an approval or invent an answer yourself. Then call wait_for_run.",
      ),
      inputSchema: inputSchema("answer_call", call),
      outputSchema: outputSchema(changedRun),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    },
    guarded(call, async ({ run_id, ...body }) => {
      const { id, status, state } = await handlers.answer_call(operationCall(call, { path: { run_id }, body }));
      const next = state === "waiting" ? "It waits for answers to further calls: see get_run." : "Call wait_for_run.";
      return changedResult(id, status, named(next));
    }),
  );
}

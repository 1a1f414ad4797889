import type { McpServer } from "@modelcontextprotocol/server";
import { givenAnswer } from "../../run-api/given-answer.ts";
import { answerCall } from "../../runs/answer-call.ts";
import { findOwnRun } from "../../runs/own-run.ts";
import type { McpCall } from "../deps.ts";
import { inputSchema, outputSchema } from "../standard-schema.ts";
import { changedRun } from "./outputs.ts";
import { changedResult, guarded } from "./tool.ts";

/** `answer_call`. */
export function registerAnswerTool(server: McpServer, call: McpCall): void {
  const { runs, principal, named } = call;
  const starter = principal.starter && { starter: principal.starter };
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
      const { id } = await findOwnRun(runs, principal, run_id);
      const { status, askedUntil } = await answerCall({ ...call, ...starter }, id, givenAnswer(body));
      const next =
        askedUntil === undefined ? "Call wait_for_run." : "It waits for answers to further calls: see get_run.";
      return changedResult(id, status, named(next));
    }),
  );
}

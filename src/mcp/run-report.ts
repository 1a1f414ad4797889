import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Schemas } from "../ext/call.ts";
import { problemsText } from "../results/result-types.ts";
import { listVisibleFiles } from "../runs/files/read-files.ts";
import type { DescribedRun } from "../runs/read/describe-runs.ts";
import { answerJson, type McpCall, operationCall } from "./call.ts";
import type { Named } from "./tool-names.ts";
import { pieceOf } from "./text-piece.ts";
import type { RunReport } from "./tools/outputs.ts";

type Detail = Schemas["RunDetail"];
type Activity = Pick<Schemas["Activity"], "kind" | "step" | "tools">;

/** Files that a report lists, of the 200 that a run can have. */
const maxFiles = 100;

/** Reads a run of the key's agent. `offset`: characters of the output to skip. */
export async function reportRun(call: McpCall, run_id: string, offset = 0): Promise<RunReport> {
  const run = answerJson(await call.handlers.get_run(operationCall(call, { path: { run_id } })));
  const { status, usage, failure, finish_reason, open_calls, result, result_error: error } = run;
  // Not by the handler of the list, which reads all turns to say which step changed each file.
  const files = status === "running" ? null : (await listVisibleFiles(call, run.id)).files;
  const output = status === "finished" ? run.output : null;
  const piece = output === null ? undefined : pieceOf(output, offset);
  const isWhole = piece?.text === output;
  return {
    run_id: run.id,
    name: run.name,
    status,
    turn: run.turn,
    queued_inputs: run.queued_inputs,
    steps: usage.steps,
    dollars: usage.dollars,
    failure: failure && { title: failure.title, remedy: failure.remedy, retryable: failure.retryable },
    activity: activityOf(run),
    output: piece?.text ?? null,
    output_next_offset: piece?.next ?? null,
    ...((result !== null || error) && {
      result: isWhole ? result : null,
      result_error: error && problemsText(error.problems),
    }),
    finish_reason,
    files: files && files.slice(0, maxFiles).map(({ name, size }) => ({ name, size })),
    open_calls,
    next: call.named(open_calls.length > 0 ? nextAnswer(open_calls) : nextStep(run, files?.length ?? 0)),
  };
}

const activityTexts: Record<Activity["kind"], string> = {
  starting: "starts",
  model_call: "calls the model",
  tool_calls: "calls tools",
  retry_wait: "waits to repeat a model call that failed",
};

function activityOf({ state, activity }: { state: Detail["state"]; activity?: Activity | null }): string | null {
  if (state === "waiting") return "waits for answers";
  return activity ? activityText(activity) : state === "waiting_for_slot" ? "waits for a free slot" : null;
}

/** Status, steps and activity of a run in a line. */
export function activityLine({ run: { status, used }, ...described }: DescribedRun): string {
  const activity = activityOf(described);
  return `${status}, ${stepsText(used?.steps ?? 0)}${activity === null ? "" : `, ${activity}`}`;
}

function stepsText(steps: number): string {
  return `${steps} ${steps === 1 ? "step" : "steps"}`;
}

function activityText({ kind, step, tools }: Activity): string {
  return `step ${step}: ${activityTexts[kind]}${tools.length > 0 ? ` (${tools.join(", ")})` : ""}`;
}

function nextStep({ status, failure }: Pick<Detail, "status" | "failure">, files: number): string {
  switch (status) {
    case "running":
      return "Call wait_for_run with this run_id until the status is not running. Do not start the run again.";
    case "finished":
      return `${files > 0 ? "Read files with read_file. " : ""}Continue the conversation with send_input, if necessary.`;
    case "technical_error":
      return failure?.retryable
        ? "The run has ended. A new run (start_run) may succeed."
        : "The run has ended. Tell the user the remedy: a new run would fail in the same way.";
    case "terminated":
      return "The run was stopped for good. Start another one with start_run, if necessary.";
  }
}

/** Who answers calls of each kind. */
const answerers: Record<Schemas["OpenCall"]["kind"], string> = {
  approval: "An approval is a person's decision: ask the user, or let an operator of the service decide.",
  client_tool: "For a client_tool, run the tool and give its result.",
  question: "For a question, ask the user.",
};

function nextAnswer(open: Detail["open_calls"]): string {
  const kinds = [...new Set(open.map(({ kind }) => answerers[kind]))].join(" ");
  return `The run does not proceed until its open_calls have answers. ${kinds} Answer with answer_call, then call wait_for_run. Do not start the run again.`;
}

/** A report as the result of a tool. Its text has everything for clients that do not read structured content. */
export function reportResult(report: RunReport, { named }: Pick<McpCall, "named">): CallToolResult {
  return { content: [{ type: "text", text: reportText(report, named) }], structuredContent: report };
}

function reportText(report: RunReport, named: Named): string {
  const { run_id, name, status, activity, steps, dollars, output, output_next_offset, failure, files, next } = report;
  const { finish_reason, queued_inputs, result_error, open_calls } = report;
  const lines = [
    `Run ${run_id} (${JSON.stringify(name)}): ${status}${activity === null ? "" : `, ${activity}`}`,
    `${stepsText(steps)}${dollars > 0 ? `, $${dollars.toFixed(4)}` : ""}${queued_inputs > 0 ? `, ${queued_inputs} queued inputs` : ""}`,
    failure && `Failure: ${failure.title}. Remedy: ${failure.remedy}`,
    finish_reason !== null && finish_reason !== "completed" && `The output is incomplete: ${finish_reason}.`,
    typeof result_error === "string" && `The output does not fit the schema of the agent's results: ${result_error}.`,
    output !== null && `Output:\n${output}`,
    output_next_offset !== null && named(`[The output continues: get_run with output_offset ${output_next_offset}]`),
    files && files.length > 0 && `Files: ${files.map((file) => `${file.name} (${file.size} bytes)`).join(", ")}`,
    ...open_calls.map(openCallText),
    next,
  ];
  return lines.filter((line) => typeof line === "string").join("\n");
}

function openCallText({ id, kind, name, arguments: text, arguments_sha256, until }: RunReport["open_calls"][number]) {
  return `Waits until ${until} for an answer to call ${id} (${kind}): ${name} ${text}\narguments_sha256: ${arguments_sha256}`;
}

import type { CallToolResult } from "@modelcontextprotocol/server";
import { findOwnRun, lastOutput } from "../runs/own-run.ts";
import { wireOpenCall } from "../http/rest/wire/run.ts";
import { openCallsOf } from "../runs/read/describe-runs.ts";
import type { AskedCall } from "../runs/read/open-calls.ts";
import { problemsText } from "../results/types.ts";
import { listVisibleFiles } from "../runs/files/read-files.ts";
import { resultOf } from "../runs/read/checked-result.ts";
import type { DescribedRun } from "../runs/read/describe-runs.ts";
import type { RunActivity } from "../runs/read/run-progress.ts";
import type { Run } from "../runs/types.ts";
import type { McpCall } from "./deps.ts";
import type { Named } from "./tool-names.ts";
import { pieceOf } from "./text-piece.ts";
import type { RunReport } from "./tools/outputs.ts";

/** Files that a report lists, of the 200 that a run can have. */
const maxFiles = 100;

/** Reads a run of the key's agent. `offset`: characters of the output to skip. */
export async function reportRun(call: McpCall, id: string, offset = 0): Promise<RunReport> {
  const run = await findOwnRun(call.runs, call.principal, id);
  const [described, listed, output, open] = await Promise.all([
    call.describer.describe(run),
    run.status === "running" ? null : listVisibleFiles(call, run.id),
    run.status === "finished" ? lastOutput(call.runs, run) : undefined,
    openCallsOf(call.runs, run),
  ]);
  const files = listed?.files ?? null;
  const piece = output === undefined ? undefined : pieceOf(output, offset);
  const { checked } = described;
  const whole = piece?.text === output ? output : undefined;
  return {
    ...headOf(run),
    activity: activityOf(run, described),
    output: piece?.text ?? null,
    output_next_offset: piece?.next ?? null,
    ...(checked && {
      result: resultOf(checked, whole),
      result_error: checked.problems ? problemsText(checked.problems) : null,
    }),
    finish_reason: described.finishReason ?? null,
    files: files && files.slice(0, maxFiles).map(({ name, size }) => ({ name, size })),
    open_calls: open.map(wireOpenCall),
    next: call.named(open.length > 0 ? nextAnswer(open) : nextStep(run, files?.length ?? 0)),
  };
}

type Head = Omit<
  RunReport,
  | "activity"
  | "output"
  | "output_next_offset"
  | "result"
  | "result_error"
  | "finish_reason"
  | "files"
  | "open_calls"
  | "next"
>;

function headOf({ id, name, status, turn, queued = 0, used, failure }: Run): Head {
  return {
    run_id: id,
    name,
    status,
    turn,
    queued_inputs: queued,
    steps: used?.steps ?? 0,
    dollars: used?.dollars ?? 0,
    failure: failure ? { title: failure.title, remedy: failure.remedy, retryable: failure.retryable } : null,
  };
}

const activityTexts: Record<RunActivity["kind"], string> = {
  starting: "starts",
  model_call: "calls the model",
  tool_calls: "calls tools",
  retry_wait: "waits to repeat a model call that failed",
};

function activityOf({ waiting, askedUntil }: Run, { activity }: Pick<DescribedRun, "activity">): string | null {
  if (askedUntil !== undefined) return "waits for answers";
  return activity ? activityText(activity) : waiting ? "waits for a free slot" : null;
}

/** Status, steps and activity of a run in a line. */
export function activityLine(run: Run, described: Pick<DescribedRun, "activity">): string {
  const activity = activityOf(run, described);
  return `${run.status}, ${stepsText(run.used?.steps ?? 0)}${activity === null ? "" : `, ${activity}`}`;
}

function stepsText(steps: number): string {
  return `${steps} ${steps === 1 ? "step" : "steps"}`;
}

function activityText({ kind, step, tools }: RunActivity): string {
  return `step ${step}: ${activityTexts[kind]}${tools.length > 0 ? ` (${tools.join(", ")})` : ""}`;
}

function nextStep({ status, failure }: Run, files: number): string {
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
const answerers: Record<AskedCall["kind"], string> = {
  approval: "An approval is a person's decision: ask the user, or let an operator of the service decide.",
  client_tool: "For a client_tool, run the tool and give its result.",
  question: "For a question, ask the user.",
};

function nextAnswer(open: AskedCall[]): string {
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

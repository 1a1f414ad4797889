import type { AnswerEntry } from "../../src/agent/turn/journal.ts";
import { callId } from "../../src/runs/read/open-calls.ts";
import { findRun } from "../../src/runs/read/find-run.ts";
import { problemsText } from "../../src/results/types.ts";
import type { Run, RunEvent } from "../../src/runs/types.ts";
import { CliError, type FileIo } from "../cli.ts";
import { printable, printableLine } from "../printable.ts";
import type { OperatorPlatform } from "./operator-platform.ts";
import { failureText, followEvents } from "./follow-run.ts";
import { interrupted, onInterrupt } from "./interruption.ts";
import { answerAdvice } from "./open-calls.ts";
import { type FileOutput, isoTime, type Note } from "./output.ts";
import { runFields, runUsage } from "./run-fields.ts";

/** The exit code of `run start --wait` for a run that did not finish. */
const notFinished = 2;

/**
 * Yields a note with the run's id, waits until the run is idle, and yields its output. Prints progress on a terminal's
 * stderr. Rejects with a CliError that says how the run continues, unless it finished.
 */
export async function* waitForRun(
  platform: OperatorPlatform,
  id: string,
  io: FileIo,
): AsyncGenerator<Note | FileOutput> {
  const notify = (line: string): void => io.err(printableLine(line));
  const progress = (line: string): void => (io.errIsTerminal ? notify(line) : undefined);
  using interruption = onInterrupt();
  const { signal } = interruption;
  try {
    const { run: started } = await findRun(platform.runs, id);
    yield { note: `Run ${id} ${started.waiting ? "waits for a slot of its quota" : "started"}.` };
    const { run, transcript, finishReason, checked } = await idleRun(platform, id, { progress, notify }, signal);
    const last = transcript.at(-1);
    const output = last?.role === "output_from_agent" ? last.text : undefined;
    const problems = run.status === "finished" ? checked?.problems : undefined;
    const json = {
      ...runFields(run),
      ...runUsage(run),
      finish_reason: finishReason,
      failure: run.failure,
      output,
      result_problems: problems,
    };
    if (problems) io.err(`The output does not fit the schema of its result: ${problemsText(problems)}`);
    if (run.status === "finished" && finishReason !== undefined && finishReason !== "completed") {
      io.err(`The output is incomplete: finish reason ${finishReason}`);
    }
    progress(summary(run));
    const text = output === undefined ? "" : `${io.isTerminal ? printable(output) : output}\n`;
    yield { bytes: Buffer.from(text), json };
    if (run.status !== "finished") throw new CliError(`run ${id}: ${endOf(run)} (see run show ${id})`, notFinished);
  } catch (error) {
    if (signal.aborted) {
      throw new CliError(`stopped waiting; run ${id} proceeds (see run show ${id} --events)`, interrupted);
    }
    if (error instanceof CliError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(`waiting failed: ${reason}; run ${id} may proceed (see run show ${id} --events)`);
  }
}

/** Follows a run until it is idle. */
async function idleRun(
  { runs }: Pick<OperatorPlatform, "runs">,
  id: string,
  { progress, notify }: Record<"progress" | "notify", (line: string) => void>,
  signal: AbortSignal,
) {
  let last: AnswerEntry | undefined;
  for await (const event of followEvents(runs, id, { after: 0, signal })) {
    if ("part" in event && event.part === "answer") last = event;
    const line = progressLine(event);
    if (line !== undefined) progress(line);
    // Also outside of a terminal: without an answer, this command waits for a day.
    if ("part" in event && event.part === "asked") notify(answerAdvice(id, event));
  }
  const view = await findRun(runs, id);
  return { ...view, finishReason: last && (last.ended ?? "completed"), checked: last?.checked };
}

/** The line that reports an event. Undefined: the event is not reported. */
function progressLine(event: RunEvent): string | undefined {
  if (!("part" in event)) return undefined;
  const step = `  step ${event.step}`;
  switch (event.part) {
    case "answer": {
      const { toolCalls } = event.answer;
      const seconds = event.milliseconds === undefined ? "" : `  ${secondsOf(event.milliseconds)}`;
      return `${step}  ${toolCalls.length > 0 ? toolNames(toolCalls) : "answer"}${seconds}`;
    }
    case "failed": {
      const { failure, waitMs } = event;
      const next = waitMs === undefined ? "" : `; next attempt in ${secondsOf(waitMs)}`;
      return `${step}  model call failed: ${failure.title}${next}`;
    }
    case "result":
      return event.result.error
        ? `${step}  ${event.result.name} failed: ${event.result.text.slice(0, 200)}`
        : undefined;
    case "summary":
      return `${step}  conversation compacted: ${event.messages} messages`;
    case "resumed":
      return `${step}  resumed after an interruption: ${event.reason}`;
    case "forked":
      return undefined; // `run fork` has said it
    case "asked":
      return `${step}  call ${callId(event)} waits for an answer (${event.kind}) until ${isoTime(event.until)}`;
    case "answered":
      return `${step}  call ${callId(event)} answered: ${event.answer.kind}`;
    case "began":
      return undefined;
  }
}

/** The tools of an answer, such as `list_files, read_file × 3`. */
function toolNames(calls: { name: string }[]): string {
  const counts = Map.groupBy(calls, ({ name }) => name);
  return [...counts].map(([name, same]) => (same.length > 1 ? `${name} × ${same.length}` : name)).join(", ");
}

function summary({ status, createdAt, updatedAt, used }: Run): string {
  const facts = [
    `${status === "finished" ? "Finished" : status} in ${secondsOf(updatedAt - createdAt)}`,
    ...(used
      ? [`${used.steps} model calls`, `${(used.inputTokens + used.outputTokens).toLocaleString("en-US")} tokens`]
      : []),
    ...(used && used.dollars > 0 ? [`$${used.dollars.toFixed(4)}`] : []),
  ];
  return `${facts.join(", ")}.`;
}

function endOf({ status, failure }: Run): string {
  return failure ? `${status}: ${failureText(failure)}` : status;
}

function secondsOf(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

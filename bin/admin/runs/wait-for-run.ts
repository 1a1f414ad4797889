import type { Schemas } from "../../../src/manage/schema-types.ts";
import { problemsText } from "../../../src/results/result-types.ts";
import { CliError, type FileIo } from "../../cli.ts";
import { printable, printableLine } from "../../printable.ts";
import type { Caller } from "../call.ts";
import { interrupted, onInterrupt } from "../interruption.ts";
import { answerAdvice } from "./open-calls.ts";
import type { FileOutput, PrintedNote } from "../output.ts";
import { callId } from "../../../src/runs/read/open-calls.ts";
import { type PrintedEvent, eventsUntilIdle, statusText } from "./run-events.ts";

/** The exit code of `run start --wait` for a run that did not finish. */
const notFinished = 2;

/**
 * Yields a note with the run's id, waits until the run is idle, and yields its output. Prints progress on a terminal's
 * stderr. Rejects with a CliError that says how the run continues, unless it finished.
 */
export async function* waitForRun(caller: Caller, id: string, io: FileIo): AsyncGenerator<PrintedNote | FileOutput> {
  const notify = (line: string): void => io.err(printableLine(line));
  const progress = (line: string): void => (io.errIsTerminal ? notify(line) : undefined);
  using interruption = onInterrupt();
  const { signal } = interruption;
  try {
    const started = await caller.call<Schemas["RunDetail"]>("get_run", { run_id: id });
    yield { note: `Run ${id} ${started.state === "waiting_for_slot" ? "waits for a slot of its quota" : "started"}.` };
    const { run, output } = await idleRun(caller, id, { progress, notify }, signal);
    const { result_error: problem, finish_reason: reason } = run;
    if (problem)
      io.err(printable(`The output does not fit the schema of its result: ${problemsText(problem.problems)}`));
    if (run.status === "finished" && reason !== null && reason !== "completed") {
      io.err(`The output is incomplete: finish reason ${reason}`);
    }
    progress(summary(run));
    const text = output === undefined ? "" : `${io.isTerminal ? printable(output) : output}\n`;
    yield { bytes: Buffer.from(text), json: { ...run, output: output ?? null } };
    if (run.status !== "finished")
      throw new CliError(`run ${id}: ${statusText(run)} (see run show ${id})`, notFinished);
  } catch (error) {
    if (signal.aborted) {
      throw new CliError(`stopped waiting; run ${id} proceeds (see run show ${id} --events)`, interrupted);
    }
    if (error instanceof CliError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(`waiting failed: ${reason}; run ${id} may proceed (see run show ${id} --events)`);
  }
}

/** Follows a run until it is idle. Resolves with it and the output of its last turn. */
async function idleRun(
  caller: Caller,
  id: string,
  { progress, notify }: Record<"progress" | "notify", (line: string) => void>,
  signal: AbortSignal,
): Promise<{ run: Schemas["RunDetail"]; output: string | undefined }> {
  let output: string | undefined;
  for await (const event of eventsUntilIdle(caller, id, { after: 0, signal })) {
    if (event.type === "input") output = undefined;
    if (event.type === "output") output = event.text;
    const line = progressLine(event);
    if (line !== undefined) progress(line);
    // Also outside of a terminal: without an answer, this command waits for a day.
    if (event.type === "call_asked") notify(answerAdvice(id, event));
  }
  return { run: await caller.call<Schemas["RunDetail"]>("get_run", { run_id: id }), output };
}

/** The line that reports an event. Undefined: the event is not reported. */
function progressLine(event: PrintedEvent): string | undefined {
  if (!("step" in event)) return undefined;
  const step = `  step ${event.step}`;
  switch (event.type) {
    case "model_call": {
      const { tool_calls: calls, milliseconds } = event;
      const seconds = milliseconds === null ? "" : `  ${secondsOf(milliseconds)}`;
      return `${step}  ${calls.length > 0 ? toolNames(calls) : "answer"}${seconds}`;
    }
    case "model_call_failed": {
      const next = event.wait_ms === null ? "" : `; next attempt in ${secondsOf(event.wait_ms)}`;
      return `${step}  model call failed: ${event.title}${next}`;
    }
    case "tool_result":
      return event.is_error ? `${step}  ${event.name} failed: ${event.text.slice(0, 200)}` : undefined;
    case "summary":
      return `${step}  conversation compacted: ${event.messages} messages`;
    case "resumed":
      return `${step}  resumed after an interruption: ${event.reason}`;
    case "call_asked":
      return `${step}  call ${callId(event)} waits for an answer (${event.kind}) until ${event.until}`;
    case "call_answered":
      return `${step}  call ${callId(event)} answered: ${event.answer}`;
    case "forked":
    case "tool_started":
      return undefined; // `run fork` has said what was forked
  }
}

/** The tools of an answer, such as `list_files, read_file × 3`. */
function toolNames(calls: { name: string }[]): string {
  const counts = Map.groupBy(calls, ({ name }) => name);
  return [...counts].map(([name, same]) => (same.length > 1 ? `${name} × ${same.length}` : name)).join(", ");
}

function summary({ status, created_at, updated_at, usage }: Schemas["RunDetail"]): string {
  const { steps, input_tokens: input, output_tokens: output, dollars } = usage;
  const facts = [
    `${status === "finished" ? "Finished" : status} in ${secondsOf(Date.parse(updated_at) - Date.parse(created_at))}`,
    ...(steps > 0 ? [`${steps} model calls`, `${(input + output).toLocaleString("en-US")} tokens`] : []),
    ...(dollars > 0 ? [`$${dollars.toFixed(4)}`] : []),
  ];
  return `${facts.join(", ")}.`;
}

function secondsOf(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

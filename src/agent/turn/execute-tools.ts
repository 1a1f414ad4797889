import { NoPlace } from "../../async/scheduler.ts";
import { semaphore } from "../../async/semaphore.ts";
import { settleAll } from "../../async/settle-all.ts";
import { withTimeout } from "../../async/with-timeout.ts";
import { toWellFormed } from "../../json.ts";
import { exactInput, type ToolCall } from "../model.ts";
import { FileRefused } from "../tools/files/files.ts";
import { errorOutput, offeredDefinitions, type Tool, type ToolContext, type ToolOutput } from "../tools/tool.ts";
import { unknownTool } from "../unknown-tool.ts";
import { answerOutput, callsToAsk, expiredCall } from "./asked-calls.ts";
import { resultCharacters } from "./history/context-window.ts";
import { foldEntry, type JournalEntry, nextWork, type PendingCalls } from "./journal.ts";
import { limitName } from "./turn-limits.ts";
import type { CallFiles } from "./files/workspace-types.ts";
import type { ActionResult, TurnState } from "./turn-types.ts";

/**
 * Tool calls of one answer that run concurrently. A faulty model can request thousands. Entries written at the same
 * time share a DynamoDB transaction, which takes 100 items and 4 MB.
 */
const maxConcurrentCalls = 16;

/** `recorded`: as that of `TurnPorts.record`. */
type CallOutcome = { kind: "ended"; entry: JournalEntry; recorded: Promise<boolean> } | { kind: "stopped" };

/**
 * Executes the tool calls without a recorded result, and records each result as its call ends. After an error or a
 * rejected write no further call starts, and this settles only when all started calls have ended. The last results may still be
 * being written then. Calls that need an answer are asked about when the others have their results.
 */
export async function executeTools(state: TurnState, pending: PendingCalls, timeLeft: number): Promise<ActionResult> {
  const expired = expiredCall(pending);
  if (expired) {
    if (!(await state.ports.record(expired))) return { kind: "stopped" };
    return { kind: "continue", state: { ...state, progress: foldEntry(state.progress, expired) } };
  }
  const until = state.ports.now() + timeLeft;
  const limited = semaphore(maxConcurrentCalls);
  let stopped = false;

  async function executeUnlessStopped(call: ToolCall, index: number): Promise<CallOutcome> {
    if (stopped) return { kind: "stopped" };
    try {
      const outcome = await executeCall(state, pending, call, index, until);
      if (outcome.kind === "ended") state.writes.add(outcome.recorded);
      // A call keeps its place until its result is written: more entries fit neither a transaction nor memory.
      const waits = calls.length > maxConcurrentCalls;
      stopped ||= outcome.kind === "stopped" || (waits && !(await outcome.recorded));
      return outcome;
    } catch (error) {
      stopped = true;
      throw error;
    }
  }

  const asked = callsToAsk(state, pending, timeLeft);
  const ofAsked = new Set(asked.map(({ call }) => call));
  const calls = pending.calls.flatMap((call, index) =>
    pending.results[index] || ofAsked.has(index) ? [] : { call, index },
  );
  const outcomes = await settleAll(calls.map(({ call, index }) => limited(() => executeUnlessStopped(call, index))));
  let { progress } = state;
  for (const outcome of outcomes) {
    if (outcome.kind === "stopped") return outcome;
    progress = foldEntry(progress, outcome.entry);
  }
  if (!(await state.writes.firstSettled())) return { kind: "stopped" };
  if (asked.length > 0) return { kind: "asks", calls: asked };
  return { kind: "continue", state: { ...state, progress } };
}

/** Executes one call and begins to record its result with the files that it changed. */
async function executeCall(
  state: TurnState,
  pending: PendingCalls,
  call: ToolCall,
  index: number,
  until: number,
): Promise<CallOutcome> {
  const { ports } = state;
  const startedAt = ports.now();
  const files = await ports.files.startCall();
  try {
    const given = await outputOf(state, pending, { call, index, files, timeLeft: until - startedAt });
    if (!given) return { kind: "stopped" };
    const { structured, ...output } = given;
    const system = ports.tools.find(({ definition }) => definition.name === call.name)?.system;
    const result = {
      part: "result",
      step: pending.step,
      call: index,
      result: { callId: call.id, name: call.name, ...withHashes(output, files) },
      milliseconds: ports.now() - startedAt,
      ...(system && { system }),
      ...(structured !== undefined && { structured }),
    } as const;
    return { kind: "ended", entry: result, recorded: files.end((changes) => ports.record({ ...result, ...changes })) };
  } catch (error) {
    files.discard(error);
    throw error;
  }
}

interface CallToExecute {
  call: ToolCall;
  index: number;
  files: CallFiles;
  /** Milliseconds. */
  timeLeft: number;
}

interface CallContext extends Pick<CallToExecute, "timeLeft"> {
  context: Omit<ToolContext, "signal">;
}

/** The output of a call. An error for a call that must not start. Undefined: its start could not be recorded. */
async function outputOf(
  state: TurnState,
  { step, began, asked, answers }: PendingCalls,
  { call, index, files, timeLeft }: CallToExecute,
): Promise<ToolOutput | undefined> {
  const { ports } = state;
  const file = `tool-result-${state.input.turn}-${step}-${index + 1}.txt`;
  const storedOutput = (output: ToolOutput): Promise<ToolOutput> =>
    storeLargeResult(output, resultCharacters(state.contextTokens), { files, file });
  const tool = ports.tools.find(({ definition }) => definition.name === call.name);
  const hasEffects = tool?.hasEffects === true && call.invalid === undefined;
  const interrupted = began.includes(index);
  // The tool can also be missing now, for example because its MCP server does not respond.
  if (interrupted && !(hasEffects && tool.idempotent)) {
    return errorOutput(tool?.runsPrograms ? killedProgram : unknownEffect);
  }
  if (tool?.runsPrograms && isOfKilled(state.input, step, index)) {
    return (await ports.record({ part: "began", step, call: index })) ? errorOutput(killedProgram) : undefined;
  }
  const answer = answers[index];
  const answered = answer && (await outputOfAnswer(answer, asked[index], files));
  if (answered) return storedOutput(toWellFormed(answered));
  if (timeLeft <= 0) return errorOutput(`Not executed: the ${secondsLimitName(state)} is reached.`);
  const begins = hasEffects && !interrupted;
  if (begins && !(await ports.record({ part: "began", step, call: index }))) return undefined;
  const shown = ports.showOutput?.({ step, call: index });
  const { owner, results } = ports;
  const outputCharacters = resultCharacters(state.contextTokens);
  const given = { files, outputCharacters, ...(owner && { owner }), ...(results && { results }) };
  const context = { ...given, ...(shown && { onOutput: shown.write }) };
  const output = await runTool(state, tool, call, step, { context, timeLeft }).finally(() => shown?.end());
  return storedOutput(output);
}

async function outputOfAnswer(...given: Parameters<typeof answerOutput>): ReturnType<typeof answerOutput> {
  try {
    return await answerOutput(...given);
  } catch (error) {
    return errorOutput(refusalOf(error));
  }
}

/** The output with the hash of each attached file, so that later edits do not change what the model was shown. */
function withHashes(output: ToolOutput, files: CallFiles): ToolOutput {
  if (!output.attachments) return output;
  const attachments = output.attachments.map((attachment) => {
    const sha256 = files.find(attachment.name)?.sha256;
    return sha256 === undefined ? attachment : { ...attachment, sha256 };
  });
  return { ...output, attachments };
}

/** Calls the tool and emits its start and end. */
async function runTool(
  state: TurnState,
  tool: Tool | undefined,
  call: ToolCall,
  step: number,
  { context, timeLeft }: CallContext,
): Promise<ToolOutput> {
  const { ports } = state;
  const { id: callId, name } = call;
  const startedAt = ports.now();
  ports.emit({ type: "tool-call-started", step, callId, name });
  const output = await toolOutput(state, tool, call, { context, timeLeft });
  const milliseconds = ports.now() - startedAt;
  ports.observe?.({ of: "tool", input: exactInput(call), output });
  ports.emit({ type: "tool-call-completed", step, callId, name, milliseconds, error: output.error === true });
  return toWellFormed(output);
}

async function toolOutput(
  state: TurnState,
  tool: Tool | undefined,
  call: ToolCall,
  { context, timeLeft }: CallContext,
): Promise<ToolOutput> {
  const { signal, tools } = state.ports;
  const { name, input, invalid } = call;
  if (tool?.unavailable !== undefined) return errorOutput(tool.unavailable);
  if (invalid !== undefined) return errorOutput(invalid);
  if (!tool) return errorOutput(unknownTool(name, offeredDefinitions(tools)));
  try {
    const result = await withTimeout(timeLeft, signal, (toolSignal) =>
      tool.run(input, { ...context, call, signal: toolSignal }),
    );
    return result.timedOut
      ? errorOutput(`Aborted: the ${secondsLimitName(state)} is reached. The call may or may not have taken effect.`)
      : result.value;
  } catch (error) {
    if (error instanceof FileRefused || error instanceof NoPlace) return errorOutput(error.message);
    throw error;
  }
}

/**
 * Writes a text over `max` characters whole to a workspace file. The model gets the beginning, the file name or why the text
 * could not be saved, and the end, where a program's exit code is.
 */
async function storeLargeResult(
  output: ToolOutput,
  max: number,
  { files, file }: { files: CallFiles; file: string },
): Promise<ToolOutput> {
  const { text } = output;
  if (text.length <= max) return output;
  const problem = await files.write(file, new TextEncoder().encode(text)).then(() => undefined, refusalOf);
  const length = problem === undefined ? max / 4 : (max * 3) / 4;
  const head = text.slice(0, Math.floor((length * 3) / 4)).toWellFormed();
  const tail = text.slice(-Math.floor(length / 4)).toWellFormed();
  const shown = `The result has ${text.length} characters. The first ${head.length} are above, the last ${tail.length} below.`;
  const rest =
    problem === undefined
      ? `The whole result is in the workspace file ${file}.`
      : `The rest is lost, because it could not be saved as ${file}. ${problem}`;
  return { ...output, text: `${head}\n[${shown} ${rest}]\n${tail}` };
}

/** Why a file was refused. Throws any other error. */
function refusalOf(error: unknown): string {
  if (error instanceof FileRefused) return error.message;
  throw error;
}

function secondsLimitName({ input }: TurnState): string {
  return limitName({ reason: "seconds", of: "turn", limit: input.limits.seconds });
}

/** Whether the process that was killed may have been executing a call. */
function isOfKilled({ killed = false, journal }: TurnState["input"], step: number, call: number): boolean {
  if (!killed) return false;
  const left = nextWork(journal);
  return left.step === step && left.calls?.includes(call) === true;
}

const killedProgram =
  "This call was interrupted. The service was killed while the program ran or was about to run. It was not run again, and no " +
  "files were changed. If the program used very much memory or started very many processes, run a smaller one.";

const unknownEffect =
  "This call was interrupted. It may or may not have taken effect. It was not repeated. " +
  "Verify the outcome before you call it again.";

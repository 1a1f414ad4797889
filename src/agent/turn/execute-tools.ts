import { semaphore } from "../../async/semaphore.ts";
import { settleAll } from "../../async/settle-all.ts";
import { resultCharacters } from "./context-window.ts";
import { limitName } from "./limits.ts";
import type { ToolCall, ToolResult } from "../model.ts";
import type { PendingCalls, JournalEntry } from "./journal.ts";
import { errorOutput, offered, type Tool, type ToolOutput, unknownTool } from "../tools/tool.ts";
import type { TurnState } from "./types.ts";
import { wellFormed } from "../../json.ts";
import { withTimeout } from "../../async/with-timeout.ts";

/**
 * Calls of one answer that are made at the same time. Models ask for thousands when something is wrong with them; and
 * records that are made together share a write, of which a transaction of DynamoDB takes 99 and 4 MB.
 */
const maxAtOnce = 16;

/**
 * Makes the calls that have no recorded result, several at the same time, and records each one's result as it ends.
 * Resolves with the new records in call order. When one rejects, or the turn turns out to be no longer ours, no further
 * one is begun; those that were begun have ended before this settles, so that none works on behind the caller's back.
 */
export async function executeTools(
  turn: TurnState,
  pending: PendingCalls,
  timeLeft: number,
): Promise<JournalEntry[] | "stopped"> {
  const { ports } = turn;
  const until = ports.now() + timeLeft;
  const inTurn = semaphore(maxAtOnce);
  let over = false;

  async function make(call: ToolCall, index: number): Promise<JournalEntry | undefined> {
    const begun = ports.now();
    const result = await makeCall(turn, pending, call, index, until - begun);
    if (result === "stopped") return undefined;
    const milliseconds = ports.now() - begun;
    const part: JournalEntry = { part: "result", step: pending.step, call: index, result, milliseconds };
    return (await ports.record(part)) ? part : undefined;
  }

  async function makeUnlessOver(call: ToolCall, index: number): Promise<JournalEntry | undefined> {
    if (over) return undefined;
    try {
      const part = await make(call, index);
      over ||= part === undefined;
      return part;
    } catch (error) {
      over = true;
      throw error;
    }
  }

  const left = pending.calls.flatMap((call, index) => (pending.results[index] ? [] : { call, index }));
  const parts = await settleAll(left.map(({ call, index }) => inTurn(() => makeUnlessOver(call, index))));
  return over ? "stopped" : parts.filter((part) => part !== undefined);
}

/** One call, unless it was begun before and is not to be made twice, or there is no time left for it. */
async function makeCall(
  turn: TurnState,
  { step, began }: PendingCalls,
  call: ToolCall,
  index: number,
  timeLeft: number,
): Promise<ToolResult | "stopped"> {
  const { ports } = turn;
  const { id: callId, name } = call;
  const tool = ports.tools.find(({ definition }) => definition.name === name);
  const once = tool?.effects !== undefined && call.invalid === undefined;
  const begunBefore = began.includes(index);
  // Also of a tool that is gone, such as of a server that does not answer now.
  if (begunBefore && !(once && tool.idempotent)) return { callId, name, ...errorOutput(unknownEffect) };
  if (timeLeft <= 0) return { callId, name, ...errorOutput(`Not made: the ${secondsLimit(turn)} is reached.`) };
  if (once && !begunBefore && !(await ports.record({ part: "began", step, call: index }))) return "stopped";

  const begun = ports.now();
  ports.emit({ type: "tool-called", step, callId, name });
  const output = await outputOf(turn, tool, call, timeLeft);
  const milliseconds = ports.now() - begun;
  ports.emit({ type: "tool-ended", step, callId, name, milliseconds, error: output.error === true });
  const file = `tool-result-${turn.input.turn}-${step}-${index + 1}.txt`;
  return { callId, name, ...(await fitting(turn, wellFormed(output), file)) };
}

async function outputOf(
  turn: TurnState,
  tool: Tool | undefined,
  { name, input, invalid }: ToolCall,
  timeLeft: number,
): Promise<ToolOutput> {
  const { files, signal, tools } = turn.ports;
  if (tool?.unavailable !== undefined) return errorOutput(tool.unavailable);
  if (invalid !== undefined) return errorOutput(invalid);
  if (!tool) return errorOutput(unknownTool(name, offered(tools)));
  const output = await withTimeout(timeLeft, signal, (cut) => tool.run(input, { files, signal: cut }));
  return output === "timed-out"
    ? errorOutput(`Cut off: the ${secondsLimit(turn)} is reached. Its effect is unknown.`)
    : output;
}

/** A large text goes whole into a file of the workspace; the model gets its beginning and where the rest is. */
async function fitting(turn: TurnState, output: ToolOutput, file: string): Promise<ToolOutput> {
  const { text } = output;
  const max = resultCharacters(turn.contextTokens);
  if (text.length <= max) return output;
  await turn.ports.files.write(file, new TextEncoder().encode(text));
  const head = text.slice(0, Math.floor(max / 4)).toWellFormed();
  const note = `[The result has ${text.length} characters; above are the first ${head.length}. All of it is in the file ${file} of the workspace.]`;
  return { ...output, text: `${head}\n${note}` };
}

function secondsLimit({ input }: TurnState): string {
  return limitName({ reason: "seconds", of: "turn", limit: input.limits.seconds });
}

const unknownEffect =
  "The service was interrupted after this call was begun and before its result was recorded, so that its effect is " +
  "unknown: it may have happened or not. It was not made again. Find out what is the case before you call it again.";

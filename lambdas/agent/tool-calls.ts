import { defaultContextTokens, resultCharacters } from "./context.ts";
import { limitName } from "./limits.ts";
import type { ToolCall, ToolResult } from "./model.ts";
import type { PendingCalls, StepPart } from "./steps.ts";
import type { ToolOutput } from "./tools/tool.ts";
import type { Turn } from "./turn.ts";
import { wellFormed } from "./well-formed.ts";
import { within } from "./within.ts";

/**
 * Calls of one answer that are made at the same time. Models ask for thousands when something is wrong with them; and
 * records that are made together share a write, of which a transaction of DynamoDB takes 99 and 4 MB.
 */
const mostAtOnce = 16;

/**
 * Makes the calls that have no recorded result, at the same time, and records each one's result as it ends. Resolves
 * with the new records in call order.
 */
export async function runCalls(turn: Turn, pending: PendingCalls, timeLeft: number): Promise<StepPart[] | "stopped"> {
  const left = pending.calls.map((call, index) => ({ call, index })).filter(({ index }) => !pending.results[index]);
  const until = turn.ports.now() + timeLeft;
  const made: (StepPart | undefined)[] = [];
  let stopped = false;
  let next = 0;

  async function make({ call, index }: { call: ToolCall; index: number }, place: number): Promise<void> {
    const begun = turn.ports.now();
    const result = await makeCall(turn, pending, call, index, until - begun);
    if (result === "stopped") return void (stopped = true);
    const milliseconds = turn.ports.now() - begun;
    const part: StepPart = { part: "result", step: pending.step, call: index, result, milliseconds };
    if (await turn.ports.record(part)) made[place] = part;
    else stopped = true;
  }

  async function worker(): Promise<void> {
    try {
      for (let place = next++; place < left.length && !stopped; place = next++) {
        const one = left[place];
        if (one) await make(one, place);
      }
    } catch (error) {
      next = left.length; // no further one is begun
      throw error;
    }
  }

  // All have ended before one's rejection is passed on, so that none works on behind the caller's back.
  const settled = await Promise.allSettled(Array.from({ length: Math.min(mostAtOnce, left.length) }, worker));
  for (const each of settled) if (each.status === "rejected") throw each.reason;
  return stopped ? "stopped" : made.filter((part) => part !== undefined);
}

async function makeCall(
  { ports, input }: Turn,
  { step, began }: PendingCalls,
  call: ToolCall,
  index: number,
  timeLeft: number,
): Promise<ToolResult | "stopped"> {
  const { id: callId, name } = call;
  const tool = ports.tools.find(({ definition }) => definition.name === name);
  const once = tool?.effects !== undefined && call.invalid === undefined;
  const begunBefore = began.includes(index);
  const timeLimit = limitName({ reason: "seconds", of: "turn", limit: input.limits.seconds });
  // Also of a tool that is gone, such as of a server that does not answer now.
  if (begunBefore && !(once && tool.idempotent)) return { callId, name, text: unknownEffect, error: true };
  if (timeLeft <= 0) return { callId, name, text: `Not made: the ${timeLimit} is reached.`, error: true };
  if (once && !begunBefore && !(await ports.record({ part: "began", step, call: index }))) return "stopped";

  const begun = ports.now();
  ports.emit({ type: "tool-called", step, callId, name });
  const output = await outputOf(call);
  const milliseconds = ports.now() - begun;
  ports.emit({ type: "tool-ended", step, callId, name, milliseconds, error: output.error === true });
  return { callId, name, ...(await bounded(output)) };

  async function outputOf({ invalid, input: given }: ToolCall): Promise<ToolOutput> {
    if (invalid !== undefined) return { text: invalid, error: true };
    if (!tool) {
      const names = ports.tools.map(({ definition }) => definition.name).join(", ") || "none";
      return { text: `There is no tool ${JSON.stringify(name)}. Tools that can be used: ${names}.`, error: true };
    }
    const { files, signal } = ports;
    const ended = await within(timeLeft, signal, (cut) => tool.run(given, { files, signal: cut }));
    if (ended !== "timed-out") return ended;
    return { text: `Cut off: the ${timeLimit} is reached. Its effect is unknown.`, error: true };
  }

  /** A large text goes whole into the workspace; the model gets its beginning and where the rest is. */
  async function bounded(given: ToolOutput): Promise<ToolOutput> {
    const most = resultCharacters(input.contextTokens ?? defaultContextTokens);
    const result = wellFormed(given);
    if (result.text.length <= most) return result;
    const file = `tool-result-${input.turn}-${step}-${index + 1}.txt`;
    await ports.files.write(file, new TextEncoder().encode(result.text));
    const head = result.text.slice(0, Math.floor(most / 4)).toWellFormed();
    const note = `[The result has ${result.text.length} characters; above are the first ${head.length}. All of it is in the file ${file} of the workspace.]`;
    return { ...result, text: `${head}\n${note}` };
  }
}

const unknownEffect =
  "The service was interrupted after this call was begun and before its result was recorded, so that its effect is " +
  "unknown: it may have happened or not. It was not made again. Find out what is the case before you call it again.";

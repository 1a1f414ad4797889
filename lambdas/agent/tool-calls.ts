import { defaultContextTokens, resultCharacters } from "./context.ts";
import { limitName } from "./limits.ts";
import type { ToolCall, ToolResult } from "./model.ts";
import type { PendingCalls, StepPart } from "./steps.ts";
import type { ToolOutput } from "./tools/tool.ts";
import type { Turn } from "./turn.ts";
import { within } from "./within.ts";

/**
 * Makes the calls that have no recorded result, at the same time, and records each one's result as it ends. Resolves
 * with the new records in call order.
 */
export async function runCalls(turn: Turn, pending: PendingCalls, timeLeft: number): Promise<StepPart[] | "stopped"> {
  const left = pending.calls.map((call, index) => ({ call, index })).filter(({ index }) => !pending.results[index]);
  // All have ended before one's rejection is passed on, so that none works on behind the caller's back.
  const settled = await Promise.allSettled(
    left.map(async ({ call, index }): Promise<StepPart | "stopped"> => {
      const begun = turn.ports.now();
      const result = await makeCall(turn, pending, call, index, timeLeft);
      if (result === "stopped") return "stopped";
      const milliseconds = turn.ports.now() - begun;
      const part: StepPart = { part: "result", step: pending.step, call: index, result, milliseconds };
      return (await turn.ports.record(part)) ? part : "stopped";
    }),
  );
  const parts: StepPart[] = [];
  let stopped = false;
  for (const each of settled) {
    if (each.status === "rejected") throw each.reason;
    if (each.value === "stopped") stopped = true;
    else parts.push(each.value);
  }
  return stopped ? "stopped" : parts;
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
  const outside = tool?.effects === "outside" && call.invalid === undefined;
  const begunBefore = began.includes(index);
  if (outside && begunBefore && !tool.idempotent) return { callId, name, text: unknownEffect, error: true };
  if (outside && !begunBefore && !(await ports.record({ part: "began", step, call: index }))) return "stopped";

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
    const limit = limitName({ reason: "seconds", of: "turn", limit: input.limits.seconds });
    return { text: `Cut off: the ${limit} is reached. Its effect is unknown.`, error: true };
  }

  /** A large text goes whole into the workspace; the model gets its beginning and where the rest is. */
  async function bounded(result: ToolOutput): Promise<ToolOutput> {
    const most = resultCharacters(input.contextTokens ?? defaultContextTokens);
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

import type { AskKind } from "../ask-kinds.ts";
import type { Answer } from "../asks.ts";
import type { ToolCall } from "../model.ts";
import { errorOutput, type Tool, type ToolOutput } from "../tools/tool.ts";
import type { AnsweredEntry, AskedEntry, PendingCalls } from "./journal.ts";
import type { TurnState } from "./turn-types.ts";
import type { CallFiles } from "./files/workspace-types.ts";

/**
 * What has to be asked about calls without a result, in their order. A call that cannot run anyway gets its error as a
 * result instead: nobody is asked about invalid arguments, or when the turn's time is over.
 */
export function callsToAsk({ ports, input }: TurnState, pending: PendingCalls, timeLeft: number): AskedEntry[] {
  if (timeLeft <= 0) return [];
  const until = ports.date() + input.answerMs;
  return pending.calls.flatMap((call, index) => {
    if (pending.results[index] || pending.asked[index]) return [];
    const kind = askKindOf(ports.tools, call);
    return kind ? [{ part: "asked", step: pending.step, call: index, name: call.name, kind, until }] : [];
  });
}

/** The entry of the first call that nobody answered in time: a turn continues when all have answers, or the time is over. */
export function expiredCall({ step, calls, asked, answers }: PendingCalls): AnsweredEntry | undefined {
  const call = calls.findIndex((_, index) => asked[index] && !answers[index]);
  const name = calls[call]?.name;
  if (name === undefined) return undefined;
  return { part: "answered", step, call, name, answer: { kind: "expired" } };
}

function askKindOf(tools: Tool[], { name, input, json, invalid }: ToolCall): AskKind | undefined {
  const tool = tools.find(({ definition }) => definition.name === name);
  const runs = tool && tool.unavailable === undefined && invalid === undefined && !tool.check?.(input, json);
  return runs ? tool.asks : undefined;
}

/** The output that an answer is. Undefined: the call is allowed to run. Rejects with `FileRefused` as writes do. */
export async function answerOutput(
  answer: Answer,
  asked: AskedEntry | undefined,
  files: CallFiles,
): Promise<ToolOutput | undefined> {
  switch (answer.kind) {
    case "allow":
      return undefined;
    case "deny":
      return errorOutput(`Not executed: the call was denied.${answer.reason ? ` Reason: ${answer.reason}` : ""}`);
    case "expired":
      return errorOutput(expired[asked?.kind ?? "approval"]);
    case "error":
      return errorOutput(answer.text);
    case "output": {
      const written = answer.files ?? [];
      for (const { name, size, sha256 = "" } of written) await files.adopt({ name, size, sha256 });
      const note = written.map(({ name, size }) => `${name} (${size} bytes)`).join(", ");
      const text = [answer.text, ...(note ? [`[Files in the workspace: ${note}]`] : [])].filter(Boolean).join("\n");
      return { text };
    }
  }
}

const expired: Record<AskKind, string> = {
  approval: "Not executed: nobody allowed the call in time.",
  client_tool: "Not executed: no program answered the call in time. The tool may not be available.",
  question: "Nobody answered the question in time.",
};

import type { AskKind } from "../../../src/agent/ask-kinds.ts";
import type { SharedSchemas } from "../../../src/http/rest/schemas/schema-types.ts";
import { escaped, printableLine } from "../../printable.ts";

export type OpenCall = SharedSchemas["OpenCall"];

/** A call that waits, for people: what would run, with its exact arguments, and the commands that answer it. */
export function callLines(runId: string, call: OpenCall): string[] {
  const { id, kind, until } = call;
  return [
    `  ${id}  ${kind}, until ${until}`,
    `    ${callText(call)}`,
    ...answerCommands(runId, id, kind).map((command) => `    ${command}`),
  ];
}

/** The tool and the exact arguments of a call on one line. */
export function callText({ name, arguments: text }: Pick<OpenCall, "name" | "arguments">): string {
  return `${printableLine(name)} ${escaped(text)}`;
}

/** The line that says how to answer a call that was just asked about. */
export function answerAdvice(
  runId: string,
  { turn, step, call, kind }: { turn: number; step: number; call: number; kind: AskKind },
): string {
  return `Answer it: ${answerCommands(runId, `${turn}.${step}.${call}`, kind).join("  or  ")}`;
}

function answerCommands(runId: string, id: string, kind: AskKind): string[] {
  const answers = kind === "approval" ? ["--allow", "--deny --reason TEXT"] : ["--output TEXT", "--error TEXT"];
  return answers.map((answer) => `run answer ${runId} ${id} ${answer}`);
}

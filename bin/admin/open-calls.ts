import type { AskKind } from "../../src/agent/ask-kinds.ts";
import { type AskedCall, callId } from "../../src/runs/read/open-calls.ts";
import { escaped, printableLine } from "../printable.ts";
import { isoTime } from "./output.ts";

/** A call that waits, as `--json` prints it. */
export function openCallFields({ id, kind, name, arguments: text, argumentsHash, since, until }: AskedCall) {
  const shown = { arguments: text, arguments_sha256: argumentsHash };
  return { call: id, kind, name, ...shown, since: isoTime(since), until: isoTime(until) };
}

/** A call that waits, for people: what would run, with its exact arguments, and the commands that answer it. */
export function callLines(runId: string, call: AskedCall): string[] {
  const { id, kind, until } = call;
  return [
    `  ${id}  ${kind}, until ${isoTime(until)}`,
    `    ${callText(call)}`,
    ...answerCommands(runId, id, kind).map((command) => `    ${command}`),
  ];
}

/** The tool and the exact arguments of a call on one line. */
export function callText({ name, arguments: text }: AskedCall): string {
  return `${printableLine(name)} ${escaped(text)}`;
}

/** The line that says how to answer a call that was just asked about. */
export function answerAdvice(
  runId: string,
  { kind, ...place }: { turn: number; step: number; call: number; kind: AskKind },
): string {
  return `Answer it: ${answerCommands(runId, callId(place), kind).join("  or  ")}`;
}

function answerCommands(runId: string, id: string, kind: AskKind): string[] {
  const answers = kind === "approval" ? ["--allow", "--deny --reason TEXT"] : ["--output TEXT", "--error TEXT"];
  return answers.map((answer) => `run answer ${runId} ${id} ${answer}`);
}

import type { OpenCall } from "../../api/types.ts";
import type { Asked } from "../model/run-model-types.ts";
import { visibleLine } from "../text/visible.ts";
import { untilText } from "./time-left.ts";

/** What an answer does, and what happens without one. */
export function consequence({ kind, arguments_sha256: hash, until }: OpenCall): string {
  const end = `If nobody answers by ${untilText(until)}, the model is told`;
  switch (kind) {
    case "approval":
      return `Allowed, the call runs with exactly these arguments: SHA-256 ${hash.slice(0, 8)}. ${end} that it was denied.`;
    case "client_tool":
      return `A program answers this call. ${end} that the tool may not be available.`;
    case "question":
      return `The model reads the answer and continues. ${end} so.`;
  }
}

/** What became of a call that nobody answered in time. */
export function expiredText({ kind, until }: Pick<OpenCall, "kind" | "until">): string {
  return `Not answered by ${untilText(until)}, ${kind === "approval" ? "denied" : "the model is told so"}.`;
}

/** Who answered: the words without a name, and the words before a name. */
const people = {
  operator: ["an operator", ""],
  key: ["an API key", "key "],
  mcp: ["an MCP client", "MCP client "],
} as const;

/** "allowed by mira after 2 m 03 s". `waited`: how long the call waited, in words. */
export function answerText(
  { answer, answered_by: by, answered_by_name: name }: NonNullable<Asked["answer"]>,
  waited: string,
): string {
  if (answer === "expired") return `not answered in time${waited}`;
  const what = { allow: "allowed", deny: "denied", output: "answered", error: "answered with an error" }[answer];
  if (by === null) return `${what}${waited}`;
  const [unnamed, before] = people[by];
  return `${what} by ${name === null ? unnamed : before + visibleLine(name, 80)}${waited}`;
}

import type { FileVersion } from "../../agent/turn/manifest.ts";
import type { TurnFacts } from "../turn-facts.ts";

/** Characters of the input and both answers together that a judge is asked about. */
export const maxJudged = 200_000;

/** Files that are named in an answer. */
const maxFiles = 50;

type JudgedTurn = Pick<TurnFacts, "output" | "calls">;

/**
 * What a judge is asked: the input, and two answers to it. It does not say which one is the candidate's. `marker`: a text that the
 * answers cannot know, so that none can end its part. Undefined: the texts are too long.
 */
export function questionOf(input: string, [a, b]: [a: JudgedTurn, b: JudgedTurn], marker: string): string | undefined {
  const parts: [name: string, text: string][] = [
    ["INPUT", input],
    ["ANSWER A", answerOf(a)],
    ["ANSWER B", answerOf(b)],
  ];
  if (parts.reduce((sum, [, text]) => sum + text.length, 0) > maxJudged) return undefined;
  return parts.map(([name, text]) => `--- ${name} ${marker}\n${text}\n--- END OF ${name} ${marker}`).join("\n\n");
}

/** The output, and which files the turn has changed. */
function answerOf({ output = "", calls }: JudgedTurn): string {
  const last = new Map(calls.flatMap(({ files }) => files).map((file) => [file.name, file]));
  if (last.size === 0) return output;
  const files = [...last.values()].map(fileLine).toSorted();
  const more = files.length - maxFiles;
  const lines = [...files.slice(0, maxFiles), ...(more > 0 ? [`- ${more} more`] : [])];
  return `${output}\n\nFiles changed with this answer:\n${lines.join("\n")}`;
}

/** The name is JSON, so that it cannot begin a line. */
function fileLine({ name, size, deleted }: FileVersion): string {
  return `- ${JSON.stringify(name)}, ${deleted ? "deleted" : `${size} bytes`}`;
}

import { hash } from "node:crypto";
import type { CallArguments } from "./model.ts";
import type { FileVersion } from "./turn/files/manifest.ts";

/**
 * What a call that waited was answered with. `allow`: it runs. `output` and `error` are its result. `expired`: nobody
 * answered in time. `files`: written with the output. Field names are stored as JSON and must not change.
 */
export type Answer =
  | { kind: "allow" }
  | { kind: "deny"; reason?: string }
  | { kind: "output"; text: string; files?: FileVersion[] }
  | { kind: "error"; text: string }
  | { kind: "expired" };

/** The words of an answer: the reason of a denial, an output or an error. */
export function answerText(answer: Answer): string | undefined {
  if (answer.kind === "deny") return answer.reason;
  return "text" in answer ? answer.text : undefined;
}

/** Who answered: see `Starter`. Absent in an entry: the time was over. */
export interface Answerer {
  kind: "key" | "mcp" | "operator";
  id: string;
}

/** The arguments of a call as every API shows them: the JSON text. */
export function argumentsText({ input, json }: CallArguments): string {
  return json ?? (typeof input === "string" ? input : (JSON.stringify(input) ?? ""));
}

/** SHA-256 (hex) of `argumentsText`. An answer names it, so that nobody allows other arguments than were shown. */
export function argumentsHash(call: CallArguments): string {
  return hash("sha256", argumentsText(call));
}

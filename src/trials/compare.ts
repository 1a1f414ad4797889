import { type FileVersion, filesIn, manifestOf } from "../agent/turn/manifest.ts";
import { canonicalJson, findExcessiveDepth, parseExact } from "../json.ts";
import type { ArmOutcome, Comparison, FileDifference } from "./types.ts";

/** What a turn ended with. `files`: all files of its run after it. */
export interface TurnEnd {
  /** Absent: it has none. */
  output?: string;
  files: FileVersion[];
}

export function compareTurns(recorded: TurnEnd, tried: TurnEnd): Comparison {
  return {
    sameOutput: sameOutput(recorded.output, tried.output),
    files: fileDifferences(recorded.files, tried.files),
  };
}

/** Whether an attempt has finished without a difference. */
export function isSameOutcome({ ending, comparison, steps }: ArmOutcome): boolean {
  if (ending.kind !== "finished" || (!comparison && !steps)) return false;
  return (!comparison || isSame(comparison)) && (steps?.changed ?? 0) === 0;
}

/** Whether a comparison found no difference. */
export function isSame({ sameOutput: same, files }: Comparison): boolean {
  return same && files.length === 0;
}

/** JSON objects and lists are equal if their values are. Other texts are equal if they differ only in the amount of white space. */
export function sameOutput(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  const [left, right] = [canonical(before), canonical(after)];
  if (left !== undefined && right !== undefined) return left === right;
  return spaced(before) === spaced(after);
}

/** Undefined: the text is not a JSON object or list, or is nested too deep to compare. */
function canonical(text: string): string | undefined {
  if (!/^\s*[{[]/.test(text) || findExcessiveDepth(text) !== undefined) return undefined;
  try {
    return canonicalJson(parseExact(text));
  } catch {
    return undefined;
  }
}

function spaced(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

/** How the files after two turns differ, sorted by name. */
function fileDifferences(before: FileVersion[], after: FileVersion[]): FileDifference[] {
  const [old, current] = [existing(before), existing(after)];
  const differences: FileDifference[] = [];
  for (const name of [...new Set([...old.keys(), ...current.keys()])].toSorted()) {
    const [left, right] = [old.get(name), current.get(name)];
    if (!left) differences.push({ name, change: "added" });
    else if (!right) differences.push({ name, change: "removed" });
    else if (left.sha256 !== right.sha256 || left.kind !== right.kind) differences.push({ name, change: "changed" });
  }
  return differences;
}

function existing(files: FileVersion[]): Map<string, FileVersion> {
  // Folders without files were not recorded by earlier releases. Times differ between any two turns.
  const compared = filesIn(manifestOf(files)).filter(({ kind }) => kind !== "folder");
  return new Map(compared.map((file) => [file.name, file]));
}

import type { KnownCall } from "../../agent/tools/recorded.ts";
import { type FileVersion, filesIn, manifestOf } from "../../agent/turn/files/manifest.ts";
import { canonicalJson, findExcessiveDepth, parseExact } from "../../json.ts";
import { callKey } from "./recorded-calls.ts";
import type { AttemptOutcome, Comparison, FileDifference, MissingCalls, TurnEnding } from "../trial-types.ts";

/** What a turn ended with. `files`: all files of its run after it. */
export interface TurnEnd {
  /** Undefined: it has none. */
  output?: string | undefined;
  files: FileVersion[];
}

export function compareTurns(recorded: TurnEnd, tried: TurnEnd): Comparison {
  return {
    sameOutput: sameOutput(recorded.output, tried.output),
    files: fileDifferences(recorded.files, tried.files),
  };
}

/** Whether an attempt has finished without a difference. */
export function isSameOutcome({ ending, comparison, steps }: AttemptOutcome<TurnEnding>): boolean {
  if (ending.kind !== "finished" || (!comparison && !steps)) return false;
  return (!comparison || isSame(comparison)) && (steps?.changed ?? 0) === 0;
}

/** Whether a comparison found no difference. */
export function isSame({ sameOutput: same, files, missing = [] }: Comparison): boolean {
  return same && files.length === 0 && missing.length === 0;
}

/**
 * The calls of a recorded turn that a tried one left out, by tool. Calls are equal if their arguments are, with all digits.
 * `recorded`: those that had effects.
 */
export function missingCalls(recorded: KnownCall[], tried: KnownCall[]): MissingCalls[] {
  const made = Map.groupBy(tried, callKey);
  const found = new Map<string, MissingCalls>();
  for (const [key, calls] of Map.groupBy(recorded, callKey)) {
    const again = Math.min(calls.length, made.get(key)?.length ?? 0);
    if (again === calls.length) continue;
    const tool = calls[0]?.name ?? "";
    const { recorded: before, tried: after } = found.get(tool) ?? { recorded: 0, tried: 0 };
    found.set(tool, { tool, recorded: before + calls.length, tried: after + again });
  }
  return [...found.values()];
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

/** Calls of two turns, side by side. */
export interface Alignment<Call> {
  rows: AlignedCalls<Call>[];
  /** Index of the first row that is not the same. Absent: there is none. */
  firstDifference?: number;
}

/** A call of one of two turns, or of both. `same`: both have this call, with the same input. Otherwise, both call the same tool. */
export interface AlignedCalls<Call> {
  left?: Call;
  right?: Call;
  same: boolean;
}

/** Calls of a turn up to which the longest common subsequence is found: its table then has 4 million cells of 2 bytes. */
const maxCalls = 2_000;

/**
 * Aligns the tool calls of two turns, each in its order: equal calls first, as many as possible; between those, calls of
 * the same tool with different inputs. With more than `maxCalls` that differ, each call is aligned with the next equal one.
 */
export function alignCalls<Call extends KnownCall>(left: Call[], right: Call[]): Alignment<Call> {
  const rows: AlignedCalls<Call>[] = [];
  const gapRows = (lefts: Call[], rights: Call[]): void => {
    const pairs = commonPairs(lefts.map(nameOf), rights.map(nameOf));
    walk(pairs, lefts.length, rights.length, {
      gap: (ofLeft, ofRight) => {
        for (const each of lefts.slice(...ofLeft)) rows.push({ left: each, same: false });
        for (const each of rights.slice(...ofRight)) rows.push({ right: each, same: false });
      },
      pair: (i, j) => rows.push({ left: lefts[i] as Call, right: rights[j] as Call, same: false }),
    });
  };
  walk(commonPairs(left.map(callKey), right.map(callKey)), left.length, right.length, {
    gap: (ofLeft, ofRight) => gapRows(left.slice(...ofLeft), right.slice(...ofRight)),
    pair: (i, j) => rows.push({ left: left[i] as Call, right: right[j] as Call, same: true }),
  });
  const first = rows.findIndex(({ same }) => !same);
  return { rows, ...(first !== -1 && { firstDifference: first }) };
}

const nameOf = ({ name }: { name: string }): string => name;

/** Indexes of equal texts in two lists. Both grow from pair to pair. */
type Pair = [left: number, right: number];
type Part = [start: number, end: number];

/** Visits pairs and the parts of both lists between them, in order. */
function walk(
  pairs: Pair[],
  leftLength: number,
  rightLength: number,
  visit: { gap: (left: Part, right: Part) => void; pair: (left: number, right: number) => void },
): void {
  let [i, j] = [0, 0];
  for (const [left, right] of pairs) {
    if (left > i || right > j) visit.gap([i, left], [j, right]);
    visit.pair(left, right);
    [i, j] = [left + 1, right + 1];
  }
  if (leftLength > i || rightLength > j) visit.gap([i, leftLength], [j, rightLength]);
}

function commonPairs(left: string[], right: string[]): Pair[] {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  const [lefts, rights] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
  const find = Math.max(lefts.length, rights.length) <= maxCalls ? longestPairs : nextPairs;
  return [
    ...Array.from({ length: start }, (_, index): Pair => [index, index]),
    ...find(lefts, rights).map(([i, j]): Pair => [start + i, start + j]),
    ...Array.from({ length: end }, (_, index): Pair => [left.length - end + index, right.length - end + index]),
  ];
}

/** A longest common subsequence. `lengths` has that of the rest of both lists from each pair of indexes on. */
function longestPairs(left: string[], right: string[]): Pair[] {
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      lengths[i * width + j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    if (left[i] === right[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}

/** A common subsequence, in time that grows with the length of the lists. */
function nextPairs(left: string[], right: string[]): Pair[] {
  const places = new Map<string, number[]>();
  for (const [index, text] of right.entries()) {
    const known = places.get(text);
    if (known) known.push(index);
    else places.set(text, [index]);
  }
  const used = new Map<string, number>();
  const pairs: Pair[] = [];
  let next = 0;
  for (const [index, text] of left.entries()) {
    const known = places.get(text) ?? [];
    let position = used.get(text) ?? 0;
    while ((known[position] ?? next) < next) position++;
    const place = known[position];
    used.set(text, place === undefined ? position : position + 1);
    if (place === undefined) continue;
    pairs.push([index, place]);
    next = place + 1;
  }
  return pairs;
}

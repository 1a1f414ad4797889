import {
  foldText,
  type FoldedText,
  type FoldKind,
  hasAtMostFolds,
  oddCharacters,
  typographicKinds,
} from "../../../documents/encoding/fold-text.ts";
import { joinLimited } from "./files.ts";
import { nearestLine } from "./nearest-line.ts";

export interface Replacement {
  old: string;
  new: string;
  /** Replace every occurrence. */
  all: boolean;
}

/** A text with parts to replace: what stays, and what comes between. `notes`: for the model. */
export interface EditedText {
  pieces: string[];
  replaced: string;
  replacement: string;
  /** What the match ignored. Empty: it is exact. */
  ignored: FoldKind[];
  notes: string[];
}

/** Finds what to replace: `old` exactly, or else the only part that differs from it in its typography. `problem`: for the model. */
export function planEdit(name: string, text: string, edit: Replacement): EditedText | { problem: string } {
  const pieces = text.split(edit.old);
  const matches = pieces.length - 1;
  if (matches === 0) return planFolded(name, text, edit);
  const first = pieces[0]?.length ?? 0;
  if (!edit.all && (matches > 1 || text.includes(edit.old, first + 1))) {
    const often = matches > 1 ? `${matches} times` : "more than once: the occurrences overlap";
    return {
      problem:
        `${name} contains old_text ${often}. Add surrounding lines until it is unique, or set all to true to ` +
        "replace every occurrence.",
    };
  }
  const knowsCarriageReturns = edit.old.includes("\r") || edit.new.includes("\r");
  const replacement =
    knowsCarriageReturns || edit.old.includes("\n") || !hasOnlyCrlf(text) ? edit.new : withLineEnds(edit.new, "\r\n");
  const notes = [
    ...(replacement === edit.new ? [] : ["Line ends of new_text became CRLF, as in the file."]),
    ...(edit.all && matches < maxMatches ? foldedRest(text, edit.old) : []),
  ];
  return { pieces, replaced: edit.old, replacement, ignored: [], notes };
}

/** Each stage ignores more. Tabs have a meaning in many files, so they are ignored last, and never replaced. */
const stages: FoldKind[][] = [
  [...typographicKinds, "line ends"],
  [...typographicKinds, "line ends", "runs of blanks and tabs"],
];

/** Places that folding replaces: about 0.4 s. A file of 10 MB with CRLF has 300,000. */
const maxFolds = 400_000;
const maxMatches = 1_000;

function planFolded(name: string, text: string, edit: Replacement): EditedText | { problem: string } {
  for (const kinds of stages) {
    if (!hasAtMostFolds(text, kinds, maxFolds)) break;
    const folded = foldText(text, kinds);
    const old = foldText(edit.old, kinds);
    const found = old.text.trim() === "" ? [] : matchesOf(folded, old.text);
    if (found.length > 1) return { problem: severalMatches(name, text, found, kinds) };
    const [match] = found;
    if (!match) continue;
    const planned = keepUnchanged(text, edit, { match, folded, old, kinds });
    if (planned && planned.replaced === planned.replacement) {
      return { problem: `${name} has new_text already in line ${lineAt(text, match.start)}. It was not changed.` };
    }
    if (planned) return planned;
  }
  return {
    problem:
      `${name} does not contain old_text. It must match exactly, including white space and line ends. ` +
      (nearestLine(text, edit.old) ?? "Read the part of the file to change first."),
  };
}

/** A match: the range in the folded text and the one in the text. */
interface FoldedMatch {
  at: number;
  start: number;
  end: number;
}

function matchesOf(folded: FoldedText, old: string): FoldedMatch[] {
  const found: FoldedMatch[] = [];
  for (let at = folded.text.indexOf(old); at >= 0 && found.length < maxMatches; at = folded.text.indexOf(old, at + 1)) {
    const [start, end] = [folded.before(at, "start"), folded.before(at + old.length, "end")];
    if (start !== undefined && end !== undefined) found.push({ at, start, end });
  }
  return found;
}

function severalMatches(name: string, text: string, found: FoldedMatch[], kinds: FoldKind[]): string {
  const lines = joinLimited(found.slice(0, 51).map(({ start }) => String(lineAt(text, start))));
  return (
    `${name} does not contain old_text exactly. Ignoring ${kinds.join(", ")}, it occurs ${found.length === maxMatches ? "at least " : ""}${found.length} times, in lines ${lines}. ` +
    "Add surrounding lines until it is unique."
  );
}

/**
 * The edit of a match that is not exact. Only the part in which `old` and `new` differ is replaced: the file keeps its no-break
 * space in front of a number that changes. Undefined: the edit would replace tabs by other blanks.
 */
function keepUnchanged(
  text: string,
  edit: Replacement,
  { match, folded, old, kinds }: { match: FoldedMatch; folded: FoldedText; old: FoldedText; kinds: FoldKind[] },
): EditedText | undefined {
  const placeOf = (index: number, side: "start" | "end"): number | undefined => {
    const after = old.after(index);
    return after === undefined ? undefined : folded.before(match.at + after, side);
  };
  let prefix = commonPrefix(edit.old, edit.new);
  let suffix = commonSuffix(edit.old.slice(prefix), edit.new.slice(prefix));
  while (prefix > 0 && placeOf(prefix, "start") === undefined) prefix--;
  while (suffix > 0 && placeOf(edit.old.length - suffix, "end") === undefined) suffix--;
  const start = prefix === 0 ? match.start : (placeOf(prefix, "start") ?? match.start);
  const end = Math.max(start, suffix === 0 ? match.end : (placeOf(edit.old.length - suffix, "end") ?? match.end));
  const changed = edit.new.slice(prefix, edit.new.length - suffix);
  const replaced = text.slice(start, end);
  const matched = text.slice(match.start, match.end);
  const isSafe = replaced === edit.old.slice(prefix, edit.old.length - suffix) && !changed.includes("\n");
  if (kinds.includes("runs of blanks and tabs") && !isSafe) return undefined;
  const lineEnd = /\r\n|\n|\r/.exec(matched)?.[0] ?? (hasOnlyCrlf(text) ? "\r\n" : "\n");
  const odd = oddCharacters(matched).filter((each) => !oddCharacters(edit.old).includes(each));
  return {
    pieces: [text.slice(0, start), text.slice(end)],
    replaced,
    replacement: withLineEnds(changed, lineEnd),
    ignored: neededKinds(matched, edit.old, kinds),
    notes: odd.length > 0 ? [`The matched text has ${joinLimited(odd)}.`] : [],
  };
}

/** The kinds without which two texts would differ. */
function neededKinds(matched: string, old: string, kinds: FoldKind[]): FoldKind[] {
  return kinds.filter((kind) => {
    const others = kinds.filter((each) => each !== kind);
    return foldText(matched, others).text !== foldText(old, others).text;
  });
}

/** Says which occurrences `all` leaves as they are, because they differ in their typography. */
function foldedRest(text: string, old: string): string[] {
  const [kinds = []] = stages;
  if (old.trim() === "" || !/[^\0-\x7f]|\r/.test(text) || !hasAtMostFolds(text, kinds, maxFolds)) return [];
  const folded = foldText(text, kinds);
  const others = matchesOf(folded, foldText(old, kinds).text).filter(
    ({ start, end }) => text.slice(start, end) !== old,
  );
  if (others.length === 0) return [];
  const lines = joinLimited(others.slice(0, 51).map(({ start }) => String(lineAt(text, start))));
  return [`Not replaced, because they match only ignoring ${kinds.join(", ")}: ${others.length} in lines ${lines}.`];
}

function hasOnlyCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n/.test(text);
}

function withLineEnds(text: string, lineEnd: string): string {
  return text.replaceAll(/\r\n|\n/g, lineEnd);
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

function commonSuffix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.at(-1 - length) === b.at(-1 - length)) length++;
  return length;
}

import { shifted } from "../text-format.ts";

// Texts as people and models type them: with plain blanks, hyphens and quotes, and composed letters.

/** What folding replaces. */
export type FoldKind =
  | "blanks"
  | "hyphens"
  | "quotes"
  | "ligatures"
  | "raised and lowered digits"
  | "line ends"
  | "Unicode forms"
  | "runs of blanks and tabs";

/** What has no meaning of its own. Line ends and tabs have one. */
export const typographicKinds: readonly FoldKind[] = ["blanks", "hyphens", "quotes", "ligatures", "Unicode forms"];
/** What a search ignores: people type CO2 and m2. */
export const searchKinds: readonly FoldKind[] = [...typographicKinds, "raised and lowered digits"];

/** Characters that are replaced one by one. Not `\t`, and not the backtick, which is a sign of its own in Markdown and shells. */
const characters: [kind: FoldKind, characters: string, plain: string][] = [
  ["blanks", "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "],
  ["blanks", "\u200b\u2060\ufeff", ""],
  ["hyphens", "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"],
  ["hyphens", "\u00ad", ""],
  ["quotes", "\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc\u2039\u203a", "'"],
  ["quotes", "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'],
  ["ligatures", "\ufb00", "ff"],
  ["ligatures", "\ufb01", "fi"],
  ["ligatures", "\ufb02", "fl"],
  ["ligatures", "\ufb03", "ffi"],
  ["ligatures", "\ufb04", "ffl"],
  ["ligatures", "\ufb05\ufb06", "st"],
  ...[..."0123456789"].map((digit): [FoldKind, string, string] => [
    "raised and lowered digits",
    shifted(digit, "raised") + shifted(digit, "lowered"),
    digit,
  ]),
];
const plainOf = new Map(
  characters.flatMap(([kind, all, plain]) =>
    [...all].map((each): [string, [FoldKind, string]] => [each, [kind, plain]]),
  ),
);
const replaced = [...plainOf.keys()].join("");
/** The marks that NFC composes with the letter before them, computed with Unicode 16. */
const composing =
  "\u0300-\u0345\u0653-\u0655\u093c\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0c56\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dca\u0dcf" +
  "\u0ddf\u102e\u1b35\u3099\u309a\u1161-\u1175";
/** Characters that are others' duplicates. */
const duplicates = "\u2126\u212a\u212b\uf900-\ufaff";
/** What NFC changes: a letter with marks, a syllable of Hangul in letters, and the duplicates. */
const decomposed = String.raw`[^\p{M}\r\n]\p{M}+|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[${duplicates}]`;
const isDecomposed = new RegExp(`[${composing}${duplicates}]`);

/** Whether a text has characters that folding for a search may replace. Twenty times as fast as folding. */
export function isFoldable(text: string): boolean {
  return foldable.test(text);
}
const foldable = new RegExp(`[${replaced}${composing}${duplicates}]`); // without the flag u: half the time

/** A folded text, and where its characters were. */
export interface FoldedText {
  text: string;
  /** The index in the text before, of an index in this one that begins a range, or ends it. Undefined: within what one character became. */
  before: (index: number, side: "start" | "end") => number | undefined;
  /** The index in this text. Undefined: within what was replaced. */
  after: (index: number) => number | undefined;
}

/** Folds a text. `kinds`: what is replaced. Line ends become `\n`, and tabs with the blanks around them one blank. */
export function foldText(text: string, kinds: readonly FoldKind[] = typographicKinds): FoldedText {
  const pieces = new Pieces();
  const folded = text.replaceAll(patternFor(text, kinds), (found, at: number) => {
    const plain = plainFor(found, kinds);
    if (plain !== found) pieces.add(at, found.length, plain.length);
    return plain;
  });
  return { text: folded, before: (index, side) => pieces.before(index, side), after: (index) => pieces.after(index) };
}

/** Whether folding replaces at most `max` places. Each takes 100 bytes of memory for a moment. */
export function hasAtMostFolds(text: string, kinds: readonly FoldKind[], max: number): boolean {
  const pattern = new RegExp(patternFor(text, kinds)); // a copy, because `test` keeps its place in it
  for (let count = 0; count <= max; count++) if (!pattern.test(text)) return true;
  return false;
}

const patterns = new Map<string, RegExp>();

/** Where folding may replace something. To look for decomposed letters takes most of the time, so texts are asked for them first. */
function patternFor(text: string, kinds: readonly FoldKind[]): RegExp {
  const composes = kinds.includes("Unicode forms") && isDecomposed.test(text);
  const key = `${kinds.includes("line ends")} ${kinds.includes("runs of blanks and tabs")} ${composes}`;
  const known = patterns.get(key);
  if (known) return known;
  const parts = [
    ...(kinds.includes("line ends") ? ["\\r\\n?"] : []),
    ...(kinds.includes("runs of blanks and tabs") ? [String.raw`[ \t\u00a0\u2000-\u200a\u202f\u3000]+`] : []),
    ...(composes ? [decomposed] : []),
    `[${replaced}]`,
  ];
  const pattern = new RegExp(parts.join("|"), composes ? "gu" : "g");
  patterns.set(key, pattern);
  return pattern;
}

const blankRun = /^[ \t\u00a0\u2000-\u200a\u202f\u3000]+$/;

function plainFor(found: string, kinds: readonly FoldKind[]): string {
  if (found.startsWith("\r")) return "\n";
  if (kinds.includes("runs of blanks and tabs") && blankRun.test(found)) return " ";
  if (found.length === 1)
    return plainCharacter(kinds.includes("Unicode forms") ? found.normalize("NFC") : found, kinds);
  return [...found.normalize("NFC")].map((each) => plainCharacter(each, kinds)).join("");
}

function plainCharacter(character: string, kinds: readonly FoldKind[]): string {
  const found = plainOf.get(character);
  return found && kinds.includes(found[0]) ? found[1] : character;
}

/** The replaced parts of a text, in order: where each was, where it is, and its lengths. */
class Pieces {
  readonly #was: number[] = [];
  readonly #is: number[] = [];
  readonly #wasLength: number[] = [];
  readonly #isLength: number[] = [];
  #shift = 0;

  add(at: number, wasLength: number, isLength: number): void {
    this.#was.push(at);
    this.#is.push(at + this.#shift);
    this.#wasLength.push(wasLength);
    this.#isLength.push(isLength);
    this.#shift += isLength - wasLength;
  }

  before(index: number, side: "start" | "end"): number | undefined {
    // What was left out at the edge of a range is outside of it.
    const piece = lastAtMost(this.#is, side === "start" ? index : index - 1);
    if (piece < 0) return index;
    const [was, is] = [this.#was[piece] ?? 0, this.#is[piece] ?? 0];
    const [wasLength, isLength] = [this.#wasLength[piece] ?? 0, this.#isLength[piece] ?? 0];
    if (index >= is + isLength) return was + wasLength + (index - is - isLength);
    return index === is ? was : undefined;
  }

  after(index: number): number | undefined {
    const piece = lastAtMost(this.#was, index - 1);
    if (piece < 0) return index;
    const [was, is] = [this.#was[piece] ?? 0, this.#is[piece] ?? 0];
    const [wasLength, isLength] = [this.#wasLength[piece] ?? 0, this.#isLength[piece] ?? 0];
    return index >= was + wasLength ? is + isLength + (index - was - wasLength) : undefined;
  }
}

/** The index of the last number that is at most `value`, in ascending numbers. -1: none is. */
function lastAtMost(numbers: number[], value: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Names of characters that cannot be told from others, or not be seen, by their code points. */
const names: Record<string, string> = {
  "\t": "tab",
  "\r": "carriage return",
  "\u00a0": "no-break space",
  "\u00ad": "soft hyphen",
  "\u2009": "thin space",
  "\u200b": "zero-width space",
  "\u2010": "hyphen",
  "\u2011": "non-breaking hyphen",
  "\u2013": "en dash",
  "\u2014": "em dash",
  "\u2018": "left single quotation mark",
  "\u2019": "right single quotation mark",
  "\u201c": "left double quotation mark",
  "\u201d": "right double quotation mark",
  "\u201e": "low double quotation mark",
  "\u202f": "narrow no-break space",
  "\u2060": "word joiner",
  "\u2212": "minus sign",
  "\u3000": "ideographic space",
  "\ufb01": "ligature fi",
  "\ufb02": "ligature fl",
  "\ufeff": "zero-width no-break space",
};

/** The characters of a text that look like others or are invisible, such as `U+00A0 no-break space`, each once. */
export function oddCharacters(text: string): string[] {
  const found = text.match(new RegExp(`[\\t\\r${replaced}]|\\p{M}`, "gu")) ?? [];
  return [...new Set(found)].map((each) => {
    const code = `U+${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
    const kind = plainOf.get(each)?.[0].replace(/s$/, "") ?? "combining mark";
    return `${code} ${names[each] ?? `(${kind})`}`;
  });
}

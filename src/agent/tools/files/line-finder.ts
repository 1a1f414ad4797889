import { foldText, isFoldable, searchKinds } from "../../../documents/encoding/fold-text.ts";
import { compilePattern, PatternError } from "./search-pattern.ts";

/** A match in a line: its index. `isFolded`: the line matches only with its typography folded. */
export interface LineMatch {
  at: number;
  isFolded: boolean;
}

/** Characters of lines that one search folds: about a second. */
const maxFolded = 16_000_000;

/** Finds a pattern in lines. */
export interface LineFinder {
  /** `isPlain`: the line is known to have no typography. */
  find: (line: string, isPlain: boolean) => LineMatch | undefined;
  /** Lines that did not match were not folded, because there were too many characters. */
  isIncomplete: () => boolean;
  /** Finds a phrase that begins in the first of these lines and ends in a later one. Absent: the pattern has operators. */
  findOver?: (lines: string[]) => OverLines | undefined;
}

/** A match over the end of a line: the joined lines, and its index there. */
interface OverLines {
  text: string;
  at: number;
}

/**
 * Compiles a pattern for lines. A line is matched as it is. If it does not match, it is matched with plain blanks, hyphens and quotes,
 * without ligatures and soft hyphens, and in NFC, by the pattern whose characters are folded in the same way; operators keep their
 * meaning. Throws a `PatternError`.
 */
export async function lineFinder(pattern: string, ignoreCase: boolean): Promise<LineFinder> {
  const findExact = await compilePattern(pattern, ignoreCase);
  const plain = foldPattern(pattern);
  // A class of which nothing is left is an error. Then only lines are folded.
  const compiled = plain === pattern ? findExact : await compilePattern(plain, ignoreCase).catch(asUndefined);
  const findPlain = compiled ?? findExact;
  const findOver = phraseFinder(pattern, ignoreCase);
  let left = maxFolded;
  return {
    isIncomplete: () => left < 0,
    find(line, isPlain) {
      const exact = findExact(line);
      if (exact !== undefined) return { at: exact, isFolded: false };
      const hasTypography = !isPlain && left >= 0 && isFoldable(line);
      if (hasTypography) left -= line.length;
      const folded = hasTypography ? foldText(line, searchKinds) : undefined;
      if (!folded && findPlain === findExact) return undefined;
      const at = findPlain(folded?.text ?? line);
      if (at === undefined) return undefined;
      return { at: folded ? (folded.before(at, "start") ?? at) : at, isFolded: true };
    },
    ...(findOver && { findOver }),
  };
}

function asUndefined(error: unknown): undefined {
  if (!(error instanceof PatternError)) throw error;
}

/** Folds the characters of a pattern. Hyphens are escaped: in a class, one would make a range. `\Q…\E` is left as it is. */
function foldPattern(pattern: string): string {
  if (!isFoldable(pattern) || pattern.includes(String.raw`\Q`)) return pattern;
  return foldText(pattern.replaceAll(/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g, String.raw`\-`), searchKinds).text;
}

/** The text that a pattern without operators finds, with one blank for each run of them. Undefined: it has operators. */
function phraseOf(pattern: string): string | undefined {
  const operator = "\uffff";
  const text = pattern
    .replaceAll(/\\s[+*]?| \+/g, " ")
    .replaceAll(/\\([^\w\s])|[\\^$.*+?()[\]{}|]/g, (_, escaped: string | undefined) => escaped ?? operator);
  const phrase = foldText(text, searchKinds).text.replaceAll(/\s+/g, " ").trim();
  return text.includes(operator) || phrase.length < 2 ? undefined : phrase;
}

function phraseFinder(pattern: string, ignoreCase: boolean): LineFinder["findOver"] {
  const ignoring = "(?i)";
  const ignoresCase = ignoreCase || pattern.startsWith(ignoring);
  const wanted = phraseOf(pattern.startsWith(ignoring) ? pattern.slice(ignoring.length) : pattern);
  if (wanted === undefined) return undefined;
  const cased = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
  const phrase = cased(wanted);
  const findIn = (lines: string[], isCompound: boolean): OverLines | undefined => {
    const { text, firstEnds } = join(lines, isCompound);
    const folded = foldText(text, searchKinds);
    const plain = cased(folded.text);
    const end = folded.after(firstEnds) ?? firstEnds;
    // Begins in the first line, and ends behind its end.
    const at = plain.indexOf(phrase, Math.max(0, end - phrase.length + 1));
    return at >= 0 && at < end ? { text, at: folded.before(at, "start") ?? at } : undefined;
  };
  // To join all lines of a long document would take ten times as long as to search them.
  const mayBegin = (line: string): boolean => {
    const end = cased(foldText(line.trimEnd().slice(-2 * phrase.length), searchKinds).text.replaceAll(/\s+/g, " "));
    const divided = end.replace(/-$/, "");
    for (let length = 1; length < phrase.length; length++) {
      const head = phrase.slice(0, length).trimEnd();
      if (end.endsWith(head) || divided.endsWith(head)) return true;
    }
    return false;
  };
  return (lines) => {
    if (!mayBegin(lines[0] ?? "")) return undefined;
    for (let count = 2; count <= lines.length; count++) {
      const joined = lines.slice(0, count);
      const found = findIn(joined, false) ?? findIn(joined, true);
      if (found) return found;
    }
    return undefined;
  };
}

const hyphenAtEnd = /(\p{L})[-\u2010\u00ad]$/u;
const noBlankBetween = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f]$/u;

/**
 * Joins lines. A hyphen at the end of a line before a small letter is left out, or for a compound (`well-known`) kept.
 * `firstEnds`: the index where the first line ends.
 */
function join(lines: string[], isCompound: boolean): { text: string; firstEnds: number } {
  let text = "";
  let firstEnds = 0;
  for (const [index, line] of lines.entries()) {
    const next = (index === 0 ? line.trimEnd() : line.trim()).replaceAll(/[ \t]+/g, " ");
    if (index > 0 && hyphenAtEnd.test(text) && /^\p{Ll}/u.test(next)) {
      if (!isCompound) text = text.slice(0, -1);
    } else if (index > 0 && !(noBlankBetween.test(text) && noBlankBetween.test(next.slice(0, 1)))) text += " ";
    if (index === 1) firstEnds = text.trimEnd().length;
    text += next;
  }
  return { text, firstEnds };
}

/**
 * Lookaheads of generators that are not at the beginning, with patterns that match the same without them: the lengths of pydantic's
 * `Decimal` (2.11 to 2.13), and the IBAN and duration of zod 4.
 */
const rewritten: [RegExp, string | ((...found: string[]) => string)][] = [
  [
    /\(\?=\[\\d\.\]\{1,(\d+)\}0\*\$\)\\d\{0,(\d+)\}\\\.\\d\{0,(\d+)\}0\*\$/,
    (_, length, whole, places) => {
      const places_ = Math.min(Number(places), Number(length) - 1 - Number(whole)); // the lookahead counts the point, too
      return String.raw`\d{0,${whole}}\.\d{0,${places_}}0*$`;
    },
  ],
  [/\(\?=\[\\d\.\]\{1,(\d+)\}0\*\$\)\\d\*\\\.\\d\*0\*\$/, (_, length) => digitsAround(Number(length) - 1)],
  [/\(\?!00\|01\|99\)\\d\{2\}/, String.raw`(?:0[2-9]|[1-8]\d|9[0-8])`],
  [
    /^\^P\(\?:\(\\d\+W\)\|\(\?!\.\*W\)\(\?=\\d\|T\\d\)\(.+\)\$$/,
    String.raw`^P(?:\d+W|(?:\d+Y(?:\d+M)?(?:\d+D)?|\d+M(?:\d+D)?|\d+D)(?:T TIME)?|T TIME)$`.replaceAll(
      " TIME",
      String.raw`(?:\d+H(?:\d+M)?(?:\d+(?:[.,]\d+)?S)?|\d+M(?:\d+(?:[.,]\d+)?S)?|\d+(?:[.,]\d+)?S)`,
    ),
  ],
];

/** At most so many digits around a point, without the zeros at the end. */
function digitsAround(most: number): string {
  const splits = Array.from({ length: most + 1 }, (_, whole) => String.raw`\d{${whole}}\.\d{0,${most - whole}}0*`);
  return `(?:${splits.join("|")})$`;
}

/** A pattern without lookaheads at its beginning. A text matches if it matches `pattern` and all of `also`, and none of `never`. */
export interface SplitPattern {
  pattern: string;
  also: string[];
  never: string[];
}

/**
 * Takes the lookaheads at the beginning of a pattern apart: they are checks of the whole text, such as those of the e-mail
 * address of zod 4.0 (vercel/ai#21037) and of pydantic's `Decimal` (pydantic/pydantic#13630). Others stay in the pattern.
 */
export function splitLookaheads(given: string): SplitPattern {
  const known = rewritten.reduce((text, [from, to]) => text.replace(from, to as string), given);
  const split: SplitPattern = { pattern: known, also: [], never: [] };
  if (!known.startsWith("^") || hasTopAlternative(known)) return split;
  let rest = known.slice(1);
  for (let end = lookaheadEnd(rest); end > 0; end = lookaheadEnd(rest)) {
    const within = `^(?:${rest.slice(3, end - 1)})`;
    (rest.startsWith("(?=") ? split.also : split.never).push(within);
    rest = rest.slice(end);
  }
  return { ...split, pattern: `^${rest}` };
}

/** Where the lookahead at the beginning of a pattern ends. 0: there is none. */
function lookaheadEnd(pattern: string): number {
  if (!/^\(\?[=!]/.test(pattern)) return 0;
  for (const { index, depth } of parentheses(pattern)) if (depth === 0) return index + 1;
  return 0;
}

function hasTopAlternative(pattern: string): boolean {
  return [...parentheses(pattern)].some(({ character, depth }) => character === "|" && depth === 0);
}

/** The parentheses and alternatives of a pattern outside of character classes, each with the number of groups open after it. */
function* parentheses(pattern: string): Generator<{ character: string; index: number; depth: number }> {
  let depth = 0;
  let isClass = false;
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index] ?? "";
    if (character === "\\") index++;
    else if (isClass) isClass = character !== "]";
    else if (character === "[") isClass = true;
    else if ("()|".includes(character)) {
      depth += character === "(" ? 1 : character === ")" ? -1 : 0;
      yield { character, index, depth };
    }
  }
}

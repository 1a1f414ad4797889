import type { RE2JS } from "re2js";

/** Compiling the worst pattern of this length took 0.4 s. */
const maxPatternCharacters = 1_000;
/**
 * Instructions of the compiled pattern. RE2 takes at most about 30 ns per instruction and character, so a text of
 * 16,384 characters blocks the process for at most 0.5 s.
 */
const maxInstructions = 1_000;

export const acceptedPattern =
  "Accepted: a regular expression in RE2 syntax of at most 1000 characters, without slashes around it. Lookahead, " +
  "lookbehind, backreferences and repetitions of more than 1000 are not supported.";

/** A pattern that cannot be used. The message is for the model. */
export class PatternError extends Error {}

/** The error text for a glob that cannot be used. */
export function globProblem({ message }: PatternError): string {
  return `glob: ${message} Accepted: such as *.csv, reports/*.csv or a-?.{md,txt}.`;
}

/** Returns the index of the first match in a text, or undefined. */
export type FindMatch = (text: string) => number | undefined;

/**
 * Compiles a regular expression for RE2, which matches in linear time. JavaScript's `RegExp` takes hours for some
 * patterns and can only be stopped in a worker thread. Throws a `PatternError`.
 */
export async function compilePattern(pattern: string, ignoreCase: boolean): Promise<FindMatch> {
  if (pattern.length > maxPatternCharacters) throw new PatternError(`The pattern has ${pattern.length} characters.`);
  const regex = await compile(pattern, ignoreCase);
  return (text) => {
    // `test` runs on a DFA: 20 to 400 MB/s, so 0.5 s for a file of 10 MB at most. `find` may run on an NFA with 3 MB/s,
    // and is called for matching lines only.
    if (!regex.test(text)) return undefined;
    const matcher = regex.matcher(text);
    return matcher.find() ? matcher.start() : 0;
  };
}

/** Where a pattern matches a text: from `start` to `end`, exclusive. */
export interface Match {
  start: number;
  end: number;
}

/** Finds all matches in a text, in order. */
export interface MatchFinder {
  /** Of the compiled pattern: see `maxInstructions`. */
  instructions: number;
  findAll: (text: string) => Match[];
}

/** As `compilePattern`, for all matches. Refuses a pattern that matches the empty text. */
export async function compileFinder(pattern: string): Promise<MatchFinder> {
  if (pattern.length > maxPatternCharacters) throw new PatternError(`The pattern has ${pattern.length} characters.`);
  const regex = await compile(pattern, false);
  if (regex.test("")) throw new PatternError("The pattern matches the empty text, which is everywhere.");
  return {
    instructions: regex.programSize(),
    findAll(text) {
      const found: Match[] = [];
      if (!regex.test(text)) return found;
      const matcher = regex.matcher(text);
      while (matcher.find())
        if (matcher.end() > matcher.start()) found.push({ start: matcher.start(), end: matcher.end() });
      return found;
    },
  };
}

/**
 * Compiles a glob with `*`, `**`, `?`, `[…]` and `{a,b}` to a test for file names, with the rules of ripgrep: a glob without
 * a slash is for the last part of a name, so `*.csv` also matches `reports/a.csv`. Only `**` matches a slash. Both are compared
 * in NFC. Throws a `PatternError`.
 */
export async function compileGlob(glob: string): Promise<(name: string) => boolean> {
  let depth = 0;
  const isForPath = glob.includes("/");
  const source = glob
    .normalize("NFC")
    .replace(/^\.?\//, "")
    .replaceAll(/\*\*\/|\*\*|\[!?[^\]]+\]|./gsu, (token) => {
      if (token === "**/") return "(?:.*/)?";
      if (token === "**") return ".*";
      if (token === "*") return "[^/]*";
      if (token === "?") return "[^/]";
      if (token === "{") {
        depth++;
        return "(?:";
      }
      if (token === "}" && depth > 0) {
        depth--;
        return ")";
      }
      if (token === "," && depth > 0) return "|";
      if (token.length > 1 && token.startsWith("[")) return token.replace("[!", "[^/").replaceAll("\\", "\\\\");
      return token.replace(/[\\^$.|+()[\]{}]/, String.raw`\$&`);
    });
  const regex = await compile(source, false);
  return (name) => {
    const composed = name.normalize("NFC");
    return regex.testExact(isForPath ? composed : composed.slice(composed.lastIndexOf("/") + 1));
  };
}

async function compile(pattern: string, ignoreCase: boolean): Promise<RE2JS> {
  const { RE2JS } = await import("re2js");
  try {
    const regex = RE2JS.compile(RE2JS.translateRegExp(pattern), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    if (regex.programSize() <= maxInstructions) return regex;
  } catch (error) {
    throw new PatternError(`${(error as Error).message}.`, { cause: error });
  }
  throw new PatternError("The pattern is too complex: its repetitions are too large.");
}

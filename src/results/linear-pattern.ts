import { splitLookaheads } from "./lookahead.ts";

/** Compiling the worst pattern of this length took 0.4 s. */
const maxCharacters = 1_000;

/** A pattern of a schema. `toString`: ajv keeps one engine for equal texts. */
export interface LinearPattern {
  test(text: string): boolean;
  toString(): string;
}

/** Makes a pattern. Throws an Error that says why it cannot be used. */
export type CompilePattern = (pattern: string) => LinearPattern;

/** Patterns are matched by RE2, in linear time: JavaScript's `RegExp` takes hours for some. */
export async function patternCompiler(): Promise<CompilePattern> {
  const { RE2JS } = await import("re2js");
  const compiled = (part: string) => RE2JS.compile(RE2JS.translateRegExp(part));
  return (pattern) => {
    if (pattern.length > maxCharacters) {
      throw new Error(`it has ${pattern.length} characters; at most ${maxCharacters} are accepted`);
    }
    const { pattern: rest, also, never } = splitLookaheads(pattern);
    const [needed, excluded] = [[rest, ...also].map(compiled), never.map(compiled)];
    const test = (text: string): boolean =>
      needed.every((each) => each.test(text)) && !excluded.some((each) => each.test(text));
    return { test, toString: () => pattern };
  };
}

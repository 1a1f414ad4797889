import bash from "@speed-highlight/core/languages/bash.js";
import js from "@speed-highlight/core/languages/js.js";
import json from "@speed-highlight/core/languages/json.js";
import py from "@speed-highlight/core/languages/py.js";
import { type ShjLanguageData, type ShjToken, tokenizeWith } from "@speed-highlight/core/tokenize";
import type { CodeLanguage } from "./code-language.ts";

/** A part of a code. */
export interface CodeToken {
  text: string;
  kind?: "keyword" | "string" | "comment";
}

// Its types are without exactOptionalPropertyTypes.
const languages = { bash, js, json, py } as unknown as Record<CodeLanguage, ShjLanguageData>;

/** Each gets a colour. Everything else has that of the text. */
const kinds: Partial<Record<ShjToken, CodeToken["kind"]>> = {
  kwd: "keyword",
  bool: "keyword",
  str: "string",
  cmnt: "comment",
};

/** Names in JSON are told from the values. */
const kindsOfJson: typeof kinds = { ...kinds, var: "keyword" };

/** Characters of a longer code that are coloured. A reader does not look for keywords in more. */
const longest = 16_384;

/**
 * Long runs of one line or of spaces: the patterns match each character several times. 20,000 equal letters took
 * 11 s, 40 lines of 500 take 0.3 s.
 */
const slow = /[^\n]{500}|\s{500}/;

/** Elements at most: each colour is one. */
const mostTokens = 1_000;

/** The parts of a code, in order. What is too long or too slow to read is one part. */
export function codeTokens(code: string, language: CodeLanguage): CodeToken[] {
  const read = code.slice(0, longest);
  if (slow.test(read)) return [{ text: code }];
  const known = language === "json" ? kindsOfJson : kinds;
  const tokens: CodeToken[] = [];
  const add = (text: string, kind?: CodeToken["kind"]): void => {
    const last = tokens.at(-1);
    if (last && (last.kind === kind || tokens.length >= mostTokens)) last.text += text;
    else if (text !== "") tokens.push({ text, ...(kind && { kind }) });
  };
  tokenizeWith(read, languages[language], (text, token) => add(text, token && known[token]), { languages });
  add(code.slice(longest));
  return tokens;
}

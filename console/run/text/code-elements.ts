import { type ComponentChildren, h } from "preact";
import type { CodeLanguage } from "./code-language.ts";
import { codeTokens } from "./highlight.ts";

/** A code with its parts as elements: never as HTML. */
export function coloredCode(code: string, language: CodeLanguage): ComponentChildren {
  return codeTokens(code, language).map(({ text, kind }) => (kind ? h("span", { class: `code-${kind}` }, text) : text));
}

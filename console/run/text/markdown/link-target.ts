import { webAddress } from "./characters.ts";
import type { Work } from "./nodes.ts";

/** Where a link leads, and where its source ends. */
export interface Target {
  /** Undefined: not an address of the web. */
  address: string | undefined;
  end: number;
}

/** What is in angle brackets, or a bracket that is not closed. */
export const inAngles = /<[^<>]*>?/y;

const bare = /https?:\/\/[\p{L}\p{N}][^\s<>"`[\]{}|\\^\u3000-\u303f\uff00-\uffef]*/uy;
const title = /[ \n]{0,2}(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/sy;

/** What a sticky expression matches at a place. */
export function matchAt(expression: RegExp, text: string, at: number, work: Work): RegExpExecArray | null {
  expression.lastIndex = at;
  const found = expression.exec(text);
  work.steps += 1 + (found?.[0].length ?? 0);
  return found;
}

/** `(address "title")` behind a text in brackets. */
export function directTarget(text: string, at: number, work: Work): Target | undefined {
  if (text[at] !== "(") return undefined;
  const start = at + 1;
  const angles = text[start] === "<" ? matchAt(inAngles, text, start, work)?.[0] : undefined;
  const source = angles?.endsWith(">") ? angles : text.slice(start, addressEnd(text, start, work));
  let end = start + source.length;
  end += matchAt(title, text, end, work)?.[0].length ?? 0;
  if (text[end] !== ")") return undefined;
  return { address: webAddress(angles === source ? source.slice(1, -1) : source), end: end + 1 };
}

/** Parentheses in an address come in pairs, one in the other at most: more would make the search quadratic. */
function addressEnd(text: string, start: number, work: Work): number {
  let [end, depth] = [start, 0];
  for (; end < text.length && !/\s/.test(text[end] ?? ""); end++) {
    if (text[end] === "\\") end++;
    else if (text[end] === "(" && ++depth > 2) break;
    else if (text[end] === ")" && --depth < 0) break;
  }
  work.steps += end - start;
  return end;
}

/** An address in the text, without the punctuation behind it. Undefined inside a word. */
export function bareAddress(text: string, at: number, work: Work): string | undefined {
  const [source] = /[a-z0-9]/i.test(text[at - 1] ?? "") ? [] : (matchAt(bare, text, at, work) ?? []);
  if (source === undefined) return undefined;
  let end = source.length;
  let unpaired = source.split(")").length - source.split("(").length;
  for (; end > 0; end--) {
    const last = source[end - 1] ?? "";
    if (last === ")" ? --unpaired < 0 : !/[?!.,:;*_~'&]/.test(last)) break;
  }
  return source.slice(0, end);
}

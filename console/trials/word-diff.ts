import { diffWordsWithSpace } from "diff/lib/diff/word.js";

export interface WordChange {
  sign: " " | "+" | "-";
  text: string;
}

/** Longer texts are compared by lines. Characters of both together. */
const longest = 20_000;

/** A difference that needs longer is shown by lines. Milliseconds. */
const timeout = 500;

/** The difference of two texts by words. Undefined: they are too long, or too different. */
export function wordDiff(before: string, after: string): WordChange[] | undefined {
  if (before.length + after.length > longest) return undefined;
  const changes = diffWordsWithSpace(before, after, { timeout });
  return (
    changes &&
    joined(changes.map(({ value, added, removed }) => ({ sign: added ? "+" : removed ? "-" : " ", text: value })))
  );
}

/** Words that changed in a row become one change: the space between them belongs to both texts. */
function joined(changes: WordChange[]): WordChange[] {
  const rows: WordChange[] = [];
  let [before, after] = ["", ""];
  const flush = (): void => {
    if (before !== "") rows.push({ sign: "-", text: before });
    if (after !== "") rows.push({ sign: "+", text: after });
    [before, after] = ["", ""];
  };
  changes.forEach(({ sign, text }, index) => {
    const isBetween =
      sign === " " && text.trim() === "" && (before !== "" || after !== "") && index < changes.length - 1;
    if (sign === "-" || isBetween) before += text;
    if (sign === "+" || isBetween) after += text;
    if (sign !== " " || isBetween) return;
    flush();
    rows.push({ sign, text });
  });
  flush();
  return rows;
}

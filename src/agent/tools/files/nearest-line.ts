import { foldText, oddCharacters, typographicKinds } from "../../../documents/encoding/fold-text.ts";

/** Characters of lines that are compared: about 50 ms. */
const maxCompared = 500_000;
/** Pairs of characters of a line that another one must have to be near it. */
const minShare = 0.5;
const maxShown = 300;

/**
 * A sentence about the line of a text that is nearest to one that it does not contain, with the characters that look like
 * others named. Undefined: no line is near. `wanted`: lines that are not together in the text.
 */
export function nearestLine(text: string, wanted: string): string | undefined {
  const wantedLines = wanted.split(/\r?\n/).filter((line) => line.trim() !== "");
  const missing = wantedLines.find((line) => !text.includes(line));
  const lines = text.split("\n");
  if (missing === undefined) {
    const first = lines.findIndex((line) => line.includes(wantedLines[0] ?? ""));
    if (wantedLines.length < 2 || first < 0) return undefined;
    return `Its lines occur in the file, the first one in line ${first + 1}, but not one after the other like this.`;
  }
  const pairs = pairsOf(missing);
  let best = { share: 0, length: Infinity, number: 0 };
  let left = maxCompared;
  for (const [index, line] of lines.entries()) {
    if (line.length < missing.length * minShare) continue;
    if ((left -= line.length) < 0) break;
    const found = pairsOf(line);
    const share = [...pairs].filter((pair) => found.has(pair)).length / pairs.size;
    if (share > best.share || (share === best.share && line.length < best.length))
      best = { share, length: line.length, number: index + 1 };
  }
  if (best.share < minShare) return undefined;
  const line = lines[best.number - 1] ?? "";
  const odd = oddCharacters(line);
  const has = odd.length === 0 ? "" : ` It has ${odd.join(", ")}.`;
  return `The nearest line is ${best.number}: ${JSON.stringify(line.slice(0, maxShown))}${line.length > maxShown ? "…" : ""}.${has}`;
}

/** Pairs of characters that follow each other, without white space, case, typography and the kind of quotes. */
function pairsOf(line: string): Set<string> {
  const plain = foldText(line, typographicKinds).text.replaceAll(/\s+/g, "").replaceAll('"', "'").toLowerCase();
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < plain.length || at === 0; at++) pairs.add(plain.slice(at, at + 2));
  return pairs;
}

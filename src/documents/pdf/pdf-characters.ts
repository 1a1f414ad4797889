import type { Ledger } from "../ledger.ts";
import { formattedText, type TextRun } from "../text-format.ts";

/** A piece of text of a page, as pdf.js returns it. */
interface TextItem {
  str: string;
  /** Of the font. */
  height: number;
  width: number;
  /** The last two are the place, from the lower left corner. */
  transform: number[];
  hasEOL: boolean;
}

/**
 * The text of the items of a page. Small characters above or below those before them are raised or lowered: in a PDF, 10⁶ is
 * 10 and a small 6. Marks of other content have no text.
 */
export function pageText(items: (TextItem | object)[]): string {
  const runs: TextRun[] = [];
  let line: { item: TextItem; end: number } | undefined;
  for (const item of items) {
    if (!("str" in item)) continue;
    const position = line && item.str.trim() !== "" ? shiftOf(item, line) : undefined;
    if (position && runs.at(-1)?.text === " ") runs.pop(); // that of the gap before a small character
    runs.push({ text: item.str, format: { position } });
    if (item.str.trim() !== "") line = { item: position && line ? line.item : item, end: placeOf(item).x + item.width };
    if (item.hasEOL) runs.push({ text: "\n", format: {} });
    if (item.hasEOL) line = undefined;
  }
  return formattedText(runs).trim();
}

const placeOf = ({ transform: [, , , , x = 0, y = 0] }: TextItem) => ({ x, y });

/** Whether an item is small and beside the line that it follows. Shares of the font's height, from TeX and Word. */
function shiftOf(
  item: TextItem,
  { item: base, end }: { item: TextItem; end: number },
): "raised" | "lowered" | undefined {
  const isUpright = [item, base].every(({ transform: [, b = 0, c = 0] }) => b === 0 && c === 0);
  const [{ x, y }, { y: line }] = [placeOf(item), placeOf(base)];
  if (!isUpright || item.height > base.height * 0.8 || Math.abs(x - end) > base.height * 0.5) return undefined;
  const shift = (y - line) / base.height;
  if (shift >= 0.15 && shift <= 0.8) return "raised";
  return shift <= -0.08 && shift >= -0.5 ? "lowered" : undefined;
}

/** Characters that a font without a mapping gives: controls, private and unassigned ones. */
const code = /[\p{Cc}\p{Co}\p{Cn}\uFFFD]/gu;

/** Pages with characters that their fonts do not name. */
export interface UnmappedPages {
  /** Pages with codes only. Their text is left out. */
  all: number[];
  /** Pages with some codes among the text. */
  some: number[];
}

/** The text of a page without codes. Empty: there are only codes. */
export function readableText(text: string, page: number, unmapped: UnmappedPages): string {
  const codes = text.replaceAll(/\s/g, "").match(code)?.length ?? 0;
  if (codes === 0) return text;
  const isAll = codes * 4 > text.length;
  (isAll ? unmapped.all : unmapped.some).push(page);
  return isAll ? "" : text.replaceAll(code, (each) => (/\s/.test(each) ? each : "\uFFFD"));
}

/** Names the pages in the ledger. */
export function nameUnmapped({ all, some }: UnmappedPages, ledger: Ledger): void {
  if (all.length > 0)
    ledger.say(`The text of ${listed(all)} is not read: the fonts do not say which characters they show.`);
  if (some.length > 0)
    ledger.say(`Some characters of ${listed(some)} are shown as \uFFFD: their fonts do not say what they are.`);
}

function listed(pages: number[]): string {
  const more = pages.length > 20 ? ` and ${pages.length - 20} more` : "";
  return `${pages.length === 1 ? "page" : "pages"} ${pages.slice(0, 20).join(", ")}${more}`;
}

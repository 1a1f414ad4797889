import { openNumber, type OpenStyles } from "./open-styles.ts";

interface OpenList {
  style: string;
  /** Items so far, from the number with which the list begins. */
  items: number;
  id: string;
}

type Attributes = Record<string, string>;

/** Lists within each other that are indented. */
const maxIndent = 10;

/** The numbers and bullets of the paragraphs of an OpenDocument file. */
export function openLists(styles: OpenStyles) {
  const lists: OpenList[] = [];
  /** Numbers at which lists ended, by their ids and by their styles, with their levels. */
  const ended = new Map<string, number>();
  const headings: number[] = [];
  let isItemStart = false;
  let headingNumber: string | undefined;

  const countFor = (style: string, level: number, start: string | undefined): number | undefined => {
    if (start === undefined) return undefined;
    return Number.parseInt(start, 10) - (styles.levels.get(`${style} ${level}`)?.start ?? 1);
  };

  return {
    open(attributes: Attributes): void {
      const style = attributes["text:style-name"] ?? lists.at(-1)?.style ?? "";
      const level = lists.length + 1;
      const other = attributes["text:continue-list"];
      const isContinued = other !== undefined || attributes["text:continue-numbering"] === "true";
      const items = isContinued ? (ended.get(`${other ?? ""} ${level}`) ?? ended.get(`${style} ${level}`) ?? 0) : 0;
      lists.push({ style, items, id: attributes["xml:id"] ?? "" });
    },
    item(attributes: Attributes): void {
      const list = lists.at(-1);
      isItemStart = true;
      const items = list && countFor(list.style, lists.length, attributes["text:start-value"]);
      if (list && items !== undefined) list.items = items;
    },
    close(): void {
      const level = lists.length;
      const list = lists.pop();
      if (!list) return;
      ended.set(`${list.style} ${level}`, list.items);
      if (list.id !== "") ended.set(`${list.id} ${level}`, list.items);
    },
    /** A heading begins. */
    heading(level: number, attributes: Attributes): void {
      headingNumber = undefined;
      if (attributes["text:is-list-header"] === "true" || !styles.levels.has(`outline ${level}`)) return;
      while (headings.length < level) headings.push(headings.length < level - 1 ? 1 : 0);
      headings.length = level;
      headings[level - 1] = (headings[level - 1] ?? 0) + 1;
      headingNumber = openNumber(styles, "outline", headings);
    },
    /** The marker of the paragraph that ends. `heading`: its level, 0 for other paragraphs. */
    marker(heading: number): { indent: string; label: string } {
      const list = lists.at(-1);
      if (!list) return { indent: "", label: heading > 0 && headingNumber ? `${headingNumber} ` : "" };
      const indent = "  ".repeat(Math.min(lists.length, maxIndent) - 1);
      if (!isItemStart) return { indent: `${indent}  `, label: "" };
      isItemStart = false;
      list.items++;
      const counts = lists.map(({ items }) => Math.max(items, 1));
      const number = openNumber(styles, list.style, counts);
      return { indent, label: number === undefined ? "- " : number === "" ? "" : `${number} ` };
    },
  };
}

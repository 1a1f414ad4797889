import Turndown from "turndown";
import { tableCell, tableRule } from "./markdown.ts";

/**
 * Converts HTML to Markdown. A table with several columns becomes a table, unless another one is within it: such tables
 * are used for layout.
 */
export function htmlToMarkdown(html: string): string {
  const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced" });
  turndown.remove(["script", "style", "noscript", "iframe", "template"]);
  const firstRowOf = dataTables();
  turndown.addRule("cell", {
    filter: (node) => /^T[DH]$/.test(node.nodeName) && firstRowOf(node) !== undefined,
    replacement: (content) => `| ${tableCell(content)} `,
  });
  turndown.addRule("row", {
    filter: (node) => node.nodeName === "TR" && firstRowOf(node) !== undefined,
    replacement: (content, node) => {
      const row = node as unknown as Element;
      return `${content}|\n${firstRowOf(row) === row ? `${tableRule(row.cells.length)}\n` : ""}`;
    },
  });
  turndown.addRule("rows", {
    filter: (node) => /^T(HEAD|BODY|FOOT)$/.test(node.nodeName) && firstRowOf(node) !== undefined,
    replacement: (content) => content,
  });
  turndown.addRule("table", {
    filter: (node) => node.nodeName === "TABLE" && firstRowOf(node) !== undefined,
    replacement: (content) => `\n\n${content.trim()}\n\n`,
  });
  return turndown.turndown(html).trim();
}

/** The part of the DOM that is used here. The types of TypeScript's DOM library would apply to the whole project. */
interface Element {
  /** The cells of a row. */
  cells: { length: number };
  closest(selector: string): Element | null;
  querySelector(selector: string): Element | null | undefined;
}

/** Returns the first row of the table around an element, undefined for a table that is used for layout. */
function dataTables(): (element: Element) => Element | undefined {
  const firstRows = new Map<Element, Element | undefined>();
  return (element) => {
    const table = element.closest("table");
    if (!table) return undefined;
    if (!firstRows.has(table)) {
      const row = table.querySelector("tr") ?? undefined;
      const isData = row !== undefined && row.cells.length > 1 && !table.querySelector("table");
      firstRows.set(table, isData ? row : undefined);
    }
    return firstRows.get(table);
  };
}

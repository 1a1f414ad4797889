import Turndown from "turndown";
import { tableCell, tableRule } from "./markdown.ts";

/**
 * Converts HTML to Markdown. A table with several columns becomes a table, unless another one is within it: such tables
 * are used for layout.
 */
export function htmlToMarkdown(html: string): string {
  const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced" });
  turndown.remove(["script", "style", "noscript", "iframe", "template"]);
  const tableOf = dataTables();
  turndown.addRule("cell", {
    filter: (node) => /^T[DH]$/.test(node.nodeName) && tableOf(node) !== undefined,
    replacement: (content) => `| ${tableCell(content)} `,
  });
  turndown.addRule("row", {
    filter: (node) => node.nodeName === "TR" && tableOf(node) !== undefined,
    replacement: (content, node) => {
      const { firstRow, columns = 0 } = tableOf(node) ?? {};
      return `${content}|\n${firstRow === node ? `${tableRule(columns)}\n` : ""}`;
    },
  });
  turndown.addRule("rows", {
    filter: (node) => /^T(HEAD|BODY|FOOT)$/.test(node.nodeName) && tableOf(node) !== undefined,
    replacement: (content) => content,
  });
  turndown.addRule("table", {
    filter: (node) => node.nodeName === "TABLE" && tableOf(node) !== undefined,
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
  querySelectorAll(selector: string): ArrayLike<Element>;
}

interface DataTable {
  firstRow: unknown;
  columns: number;
}

/** Returns the table around an element, undefined for one that is used for layout. */
function dataTables(): (element: Element) => DataTable | undefined {
  const tables = new Map<Element, DataTable | undefined>();
  return (element) => {
    const table = element.closest("table");
    if (!table) return undefined;
    if (!tables.has(table)) {
      const rows = table.querySelector("table") ? [] : Array.from(table.querySelectorAll("tr"));
      const columns = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
      tables.set(table, columns > 1 ? { firstRow: rows[0], columns } : undefined);
    }
    return tables.get(table);
  };
}

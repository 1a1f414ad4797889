import Turndown from "turndown";
import { elementText, isReplaced, labelText } from "./html-elements.ts";
import { hiddenElements } from "./html-hidden.ts";
import { listItemRule } from "./html-lists.ts";
import { type HtmlElement, styleOf } from "./html-node.ts";
import { dataTables } from "./html-tables.ts";
import type { Ledger } from "../ledger.ts";
import { tableCell, tableRule } from "../markdown.ts";
import { hiddenText, shifted, struckText } from "../text-format.ts";

/**
 * Converts HTML to Markdown. A table with several columns becomes a table, unless another one is within it: such tables
 * are used for layout. Characters of Markdown in the text are not escaped: a name such as `INV_1` stays as it is.
 */
export function htmlToMarkdown(html: string, ledger: Ledger): string {
  const turndown = new Turndown({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    emDelimiter: "*",
    // Of elements without text. Their content is that of such elements within them, such as a drawing.
    blankReplacement(content, node) {
      const text = elementText(content, elementOf(node), ledger) ?? (content.trim() || labelText(elementOf(node)));
      return block(text, node);
    },
  });
  turndown.escape = (text) => text;
  addTextRules(turndown);
  turndown.addRule("other", {
    filter: (node) => isReplaced(elementOf(node)),
    replacement: (content, node) => elementText(content, elementOf(node), ledger) ?? content,
  });
  // Later rules come first.
  const tableOf = dataTables();
  const hidden = hiddenParts(tableOf);
  addTables(turndown, tableOf, hidden.isCell);
  turndown.addRule("hidden", {
    filter: (node) => hidden.isElement(elementOf(node)),
    replacement: (content, node) =>
      block(hiddenText((elementText(content, elementOf(node), ledger) ?? content).trim()), node),
  });
  return turndown.turndown(html).trim();
}

function addTextRules(turndown: Turndown): void {
  turndown.addRule("list item", listItemRule());
  turndown.addRule("term", { filter: "dt", replacement: (content) => `\n\n${content.trim()}\n` });
  turndown.addRule("definition", { filter: "dd", replacement: (content) => `\n: ${content.trim()}\n` });
  // The library takes them for parts of a line.
  turndown.addRule("block", {
    filter: (node) => /^(?:DETAILS|SUMMARY|DIALOG|LEGEND|OPTGROUP|TITLE)$/.test(node.nodeName),
    replacement: (content) => `\n\n${content.trim()}\n\n`,
  });
  turndown.addRule("inserted", { filter: "ins", replacement: (content) => `<ins>${content}</ins>` });
  turndown.addRule("raised", {
    filter: (node) => positionOf(node) !== undefined,
    replacement: (content, node) => shifted(content, positionOf(node) ?? "raised"),
  });
  turndown.addRule("struck", { filter: (node) => isStruck(node), replacement: (content) => struckText(content) });
}

const isPart = ({ nodeName }: HtmlElement) => /^T(?:[DHR]|HEAD|BODY|FOOT)$/.test(nodeName);

type TableOf = ReturnType<typeof dataTables>;

/** What is hidden by itself: an element with its lines, or the cells of a table that is not hidden as a whole. */
function hiddenParts(tableOf: TableOf) {
  const isHidden = hiddenElements();
  const isWithin = (element: HtmlElement): boolean => {
    for (let around = element.parentNode; around?.getAttribute; around = around.parentNode) {
      if (isHidden(around)) return true;
    }
    return false;
  };
  return {
    isElement: (element: HtmlElement): boolean =>
      isHidden(element) && !(isPart(element) && tableOf(element)) && !isWithin(element),
    isCell: (cell: HtmlElement): boolean => {
      const row = cell.parentNode;
      const parts = [cell, row, row?.parentNode].filter((part) => part && isPart(part));
      const table = cell.closest("table") ?? cell;
      return parts.some((part) => part && isHidden(part)) && !isHidden(table) && !isWithin(table);
    },
  };
}

/** The nodes of the library have the types of a browser. */
const elementOf = (node: unknown) => node as HtmlElement;

/** The text that replaces a node. The library marks nodes that are blocks, such as paragraphs. */
function block(text: string, node: unknown): string {
  return (node as { isBlock?: boolean }).isBlock === true ? `\n\n${text}\n\n` : text;
}

function isStruck(node: unknown): boolean {
  const element = elementOf(node);
  if (/^(?:DEL|S|STRIKE)$/.test(element.nodeName)) return true;
  const line = styleOf(element, "text-decoration") ?? styleOf(element, "text-decoration-line");
  return line?.includes("line-through") ?? false;
}

function positionOf(node: unknown): "raised" | "lowered" | undefined {
  const element = elementOf(node);
  if (element.nodeName === "SUP") return "raised";
  if (element.nodeName === "SUB") return "lowered";
  const align = styleOf(element, "vertical-align");
  return align === "super" ? "raised" : align === "sub" ? "lowered" : undefined;
}

/** Tables whose columns stay aligned. `isCellHidden`: the document hides the cell or its row, but not the table. */
function addTables(turndown: Turndown, tableOf: TableOf, isCellHidden: (cell: HtmlElement) => boolean): void {
  const isIn = (node: unknown) => tableOf(elementOf(node)) !== undefined;
  turndown.addRule("cell", {
    filter: (node) => /^T[DH]$/.test(node.nodeName) && isIn(node),
    replacement: (content, node) => {
      const cell = elementOf(node);
      const { before, after } = tableOf(cell)?.gaps.get(cell) ?? { before: 0, after: 0 };
      const text = tableCell(isCellHidden(cell) ? hiddenText(content.trim()) : content);
      return `${"|  ".repeat(before)}| ${text} ${"|  ".repeat(after)}`;
    },
  });
  turndown.addRule("row", {
    filter: (node) => node.nodeName === "TR" && isIn(node),
    replacement: (content, node) => {
      const { firstRow, columns = 0 } = tableOf(elementOf(node)) ?? {};
      return `${content}|\n${firstRow === elementOf(node) ? `${tableRule(columns)}\n` : ""}`;
    },
  });
  turndown.addRule("rows", {
    filter: (node) => /^T(HEAD|BODY|FOOT)$/.test(node.nodeName) && isIn(node),
    replacement: (content) => content,
  });
  turndown.addRule("caption", {
    filter: (node) => node.nodeName === "CAPTION" && isIn(node),
    replacement: (content) => `${content.trim()}\n\n`,
  });
  turndown.addRule("table", {
    filter: (node) => node.nodeName === "TABLE" && isIn(node),
    replacement: (content) => `\n\n${content.trim()}\n\n`,
  });
}

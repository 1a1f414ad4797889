import { formattedText, type CharacterFormat, type TextRun } from "./text-format.ts";

/** A row of a Markdown table. */
export function tableRow(cells: string[]): string {
  return `| ${cells.map(tableCell).join(" | ")} |`;
}

/** The line below the first row of a Markdown table. */
export function tableRule(columns: number): string {
  return `|${" --- |".repeat(columns)}`;
}

/** Text for a cell: on one line, with escaped separators. */
export function tableCell(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .join("<br>")
    .replaceAll("|", "\\|");
}

/** Of most texts. One object, so that adjacent ones become one run. */
const unformatted: CharacterFormat = {};

interface Table {
  rows: string[][];
  /** Lines of the open cell. */
  cell: string[];
  /** The open row of a table within this one, and the lines of its open cell. */
  nested: { row: string[]; cell: string[] };
}

/**
 * Builds Markdown from the events of a document, in their order. A row of a table within a table becomes a line of its outer
 * cell.
 */
export function markdownBuilder() {
  const lines: string[] = [];
  let table: Table | undefined;
  /** Tables around the current place. */
  let depth = 0;
  let runs: TextRun[] = [];

  function addLine(line: string): void {
    if (!table) lines.push(line);
    else if (depth === 1) table.cell.push(line);
    else table.nested.cell.push(line);
  }

  function endParagraph(prefix = "", label = ""): void {
    const line = formattedText(runs).trim();
    runs = [];
    if (line !== "") addLine((table ? "" : prefix) + label + line);
  }

  function endNestedCell(): void {
    table?.nested.row.push(table.nested.cell.join(" / "));
    if (table) table.nested.cell = [];
  }

  /** A table within a table within a table is part of a cell. */
  function endNestedRow(): void {
    if (!table || depth !== 2) return;
    if (table.nested.cell.length > 0) endNestedCell();
    const { row } = table.nested;
    if (row.some((cell) => cell !== "")) table.cell.push(row.join(" | "));
    table.nested.row = [];
  }

  return {
    addText(text: string, format: CharacterFormat = unformatted): void {
      const last = runs.at(-1);
      if (last && last.format === format) last.text += text;
      else if (text !== "") runs.push({ text, format });
    },
    addLine,
    /** Ends a paragraph. `label`: its number or bullet, which stays in a cell; `prefix`: what does not. */
    endParagraph,
    isInTable: () => depth > 0,
    openTable(): void {
      endParagraph();
      if (depth++ === 0) table = { rows: [], cell: [], nested: { row: [], cell: [] } };
    },
    openRow(): void {
      if (depth === 1) table?.rows.push([]);
      else endNestedRow();
    },
    endCell(): void {
      endParagraph();
      if (depth === 2) endNestedCell();
      if (depth !== 1 || !table) return;
      table.rows.at(-1)?.push(table.cell.join("\n"));
      table.cell = [];
    },
    closeTable(): void {
      endParagraph();
      endNestedRow();
      if (--depth > 0 || !table) return;
      if (table.cell.length > 0) table.rows.push([table.cell.join("\n")]); // of a document that does not end its cells
      const rows = table.rows.filter((row) => row.some((cell) => cell.trim() !== ""));
      table = undefined;
      lines.push("", ...tableLines(rows), "");
    },
    /** The text so far. */
    toString(): string {
      endParagraph();
      return lines
        .join("\n")
        .replaceAll(/\n{3,}/g, "\n\n")
        .trim();
    },
  };
}

/** One column is a frame around text, not a table. */
function tableLines(rows: string[][]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const [heading, ...rest] = rows;
  if (!heading) return [];
  if (columns === 1) return rows.map(([cell = ""]) => cell);
  while (heading.length < columns) heading.push("");
  return [tableRow(heading), tableRule(columns), ...rest.map(tableRow)];
}

export type MarkdownBuilder = ReturnType<typeof markdownBuilder>;

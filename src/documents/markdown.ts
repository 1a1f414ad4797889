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

interface Table {
  rows: string[][];
  /** Lines of the open cell. */
  cell: string[];
}

/**
 * Builds Markdown from the events of a document, in their order. A table within a table becomes lines of its outer cell.
 */
export function markdownBuilder() {
  const lines: string[] = [];
  let table: Table | undefined;
  /** Tables around the current place. */
  let depth = 0;
  let text = "";

  function addLine(line: string): void {
    (table ? table.cell : lines).push(line);
  }

  function endParagraph(prefix = ""): void {
    const line = text.trim();
    text = "";
    if (line !== "") addLine(table ? line : prefix + line);
  }

  return {
    addText(more: string): void {
      text += more;
    },
    addLine,
    endParagraph,
    openTable(): void {
      endParagraph();
      if (depth++ === 0) table = { rows: [], cell: [] };
    },
    openRow(): void {
      if (depth === 1) table?.rows.push([]);
    },
    endCell(): void {
      endParagraph();
      if (depth !== 1 || !table) return;
      table.rows.at(-1)?.push(table.cell.join("\n"));
      table.cell = [];
    },
    closeTable(): void {
      endParagraph();
      if (--depth > 0 || !table) return;
      if (table.cell.length > 0) table.rows.push([table.cell.join("\n")]); // of a document that does not end its cells
      const [heading, ...rows] = table.rows.filter((row) => row.some((cell) => cell.trim() !== ""));
      table = undefined;
      if (heading) lines.push("", tableRow(heading), tableRule(heading.length), ...rows.map(tableRow), "");
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

export type MarkdownBuilder = ReturnType<typeof markdownBuilder>;

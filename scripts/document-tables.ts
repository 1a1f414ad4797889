/**
 * A Markdown document with the text between `<!-- table: NAME -->` and `<!-- end -->` replaced by each of the tables.
 * Throws when the document and the tables do not have the same names.
 */
export function withTables(document: string, tables: Record<string, string>): string {
  const used = new Set<string>();
  const written = document.replaceAll(
    /(<!-- table: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => {
      const made = tables[name];
      if (made === undefined) throw new Error(`the document asks for a table ${name}, which is not made`);
      used.add(name);
      return `${begin}\n${made}\n\n${end}`;
    },
  );
  const unused = Object.keys(tables).filter((name) => !used.has(name));
  if (unused.length > 0) throw new Error(`the document has no place for: ${unused.join(", ")}`);
  return written;
}

/** A Markdown table. Numbers stand to the right: all columns but the first, and but the last `texts`. */
export function table(head: string[], rows: string[][], { texts = 0 } = {}): string {
  const line = head.map((_, index) => (index === 0 || index >= head.length - texts ? "---" : "--:"));
  return [row(head), row(line), ...rows.map(row)].join("\n");
}

function row(cells: string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** What says whether two documents are the same but for the formatter's alignment of tables. */
export function unaligned(document: string): string {
  return document.replaceAll(/[ -]+/g, " ");
}

/** The rows of a table, with quoted fields as in RFC 4180. Empty lines are left out. */
export function parseCsv(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = text.startsWith("\ufeff") ? 1 : 0;
  const field = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^\\n\\r${escapeInClass(delimiter)}]*))(\\r?\\n|\\r|$|[${escapeInClass(delimiter)}])`,
    "y",
  );
  while (at < text.length) {
    field.lastIndex = at;
    const found = field.exec(text);
    if (!found) throw new Error(`row ${rows.length + 1} of the table has text after a closing quote`);
    const [whole, quoted, plain = "", end = ""] = found;
    at += whole.length;
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === delimiter) {
      if (at < text.length) continue;
      row.push("");
    }
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}

function escapeInClass(delimiter: string): string {
  return delimiter.replaceAll(/[\\\]^-]/g, "\\$&");
}

/** What a command prints: `text` for people, `json` for programs (`--json`). */
export interface Output {
  text: string;
  json: unknown;
}

/** The content of a file, which is printed as it is. */
export interface FileOutput {
  bytes: Uint8Array;
  json: unknown;
}

/** Characters of the longest value in a table, the last column apart. The hash of a key, which `key disable` takes, fits. */
const maxCellLength = 64;

type Cell = string | number | boolean | undefined;
type Row = Record<string, Cell>;

/** Rows as a table of these columns. `empty`: the text for no rows. */
export function table(rows: Row[], columns: string[], empty: string): Output {
  const lines = [
    columns.map((column) => column.toUpperCase()),
    ...rows.map((row) => columns.map((key, index) => cell(row[key], index === columns.length - 1))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((value, index) => value.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return { text: rows.length === 0 ? empty : text.join("\n"), json: rows };
}

/** One record, one field per line. Undefined fields are left out. */
export function record(fields: Row): Output {
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined);
  const width = Math.max(...shown.map(([name]) => name.length));
  return {
    text: shown.map(([name, value]) => `${name.padEnd(width)}  ${printable(String(value))}`).join("\n"),
    json: fields,
  };
}

/** Text from clients and models without control and bidi characters, which could move the cursor or hide text. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}

/** ISO 8601 of milliseconds since 1970. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function cell(value: Cell, isLast: boolean): string {
  const text = printable(value === undefined ? "-" : String(value)).replace(/[\n\t]+/g, " ");
  return !isLast && text.length > maxCellLength ? `${text.slice(0, maxCellLength - 1)}…` : text;
}

import { type Expiring, expiryText } from "../../src/accounts/expiry.ts";
import { printable, printableLine } from "../printable.ts";

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

/** A line for people, on standard error. Left out with `--json`, unless standard error is a terminal. */
export interface Note {
  note: string;
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

/** Adds a note for people. */
export function withNote({ text, json }: Output, note: string | undefined): Output {
  return { text: note === undefined ? text : `${text}\n\n${note}.`, json };
}

/** One record, one field per line. Undefined fields are left out. `lines`: a field that keeps its line ends. */
export function record(fields: Row, lines?: string): Output {
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined);
  const width = Math.max(...shown.map(([name]) => name.length));
  const text = shown.map(([name, value]) => {
    const shownValue = name === lines ? printable(String(value)) : printableLine(String(value));
    return `${name.padEnd(width)}  ${shownValue}`;
  });
  return {
    text: text.join("\n"),
    json: fields,
  };
}

/** Text under a line of the program, on indented lines, so that it cannot look like such a line. */
export function indented(text: string): string {
  return printable(text).replace(/^/gm, "    ");
}

/** ISO 8601 of milliseconds since 1970. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** When a key or token ends: as a time, and for people. */
export function expiryFields({ expiresAt }: Expiring) {
  if (expiresAt === undefined) return {};
  return { expires: expiryText({ expiresAt }, Date.now()), expires_at: isoTime(expiresAt) };
}

function cell(value: Cell, isLast: boolean): string {
  return printableLine(value === undefined ? "-" : String(value), isLast ? Infinity : maxCellLength);
}

import { isObject } from "../../src/json.ts";
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
export interface PrintedNote {
  note: string;
}

/** Characters of the longest value in a table, the last column apart. The hash of a key, which `key disable` takes, fits. */
const maxCellLength = 64;

/** Entries of a list as a table of these columns, which are paths such as `model.provider`. `empty`: the text for none. */
export function rowsText(entries: object[], columns: string[], empty: string): string {
  if (entries.length === 0) return empty;
  const lines = [
    columns.map((column) => column.split(".").at(-1)?.toUpperCase() ?? ""),
    ...entries.map((entry) => columns.map((path, index) => cell(at(entry, path), index === columns.length - 1))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((value, index) => value.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** One record, one field per line. Fields without a value are left out. `lines`: a field that keeps its line ends. */
export function record(body: object, lines?: string): Output {
  const shown = Object.entries(body).flatMap(([name, value]) => linesOf(name, value));
  const width = Math.max(...shown.map(([name]) => name.length));
  const text = shown.map(
    ([name, value]) => `${name.padEnd(width)}  ${name === lines ? printable(value) : printableLine(value)}`,
  );
  return { text: text.join("\n"), json: body };
}

/** The lines of a field: one, or one for each object in a list, or for each object in an object. */
function linesOf(name: string, value: unknown): [name: string, text: string][] {
  if (Array.isArray(value) && value.some(isObject)) return value.map((each) => [name, textOf(each)]);
  if (isObject(value) && Object.values(value).some(isObject)) {
    return Object.entries(value).flatMap(([field, of]) => linesOf(`${name}.${field}`, of));
  }
  const text = textOf(value);
  return text === "" ? [] : [[name, text]];
}

/** A value on one line. Empty: there is none. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (!isObject(value)) return typeof value === "string" ? value : JSON.stringify(value);
  const parts = Object.entries(value).map(([name, of]) => [name, isObject(of) ? JSON.stringify(of) : textOf(of)]);
  return parts.flatMap(([name, text]) => (text === "" ? [] : `${name} ${text}`)).join(", ");
}

function at(entry: object, path: string): unknown {
  return path.split(".").reduce<unknown>((of, name) => (isObject(of) ? of[name] : undefined), entry);
}

/** Text under a line of the program, on indented lines, so that it cannot look like such a line. */
export function indentedText(text: string): string {
  return printable(text).replace(/^/gm, "    ");
}

function cell(value: unknown, isLast: boolean): string {
  return printableLine(textOf(value) || "-", isLast ? Infinity : maxCellLength);
}

import {
  a1ToR1C1,
  type CellValue,
  colToLetter,
  parseCellRef,
  r1c1ToA1,
  readOds,
  readXlsx,
  type Sheet,
  type SheetFilterInfo,
  streamOdsRows,
  streamXlsxRows,
} from "hucre";
import { tableCell, tableRow, tableRule } from "./markdown.ts";
import { UnknownPart } from "./parts.ts";
import { dateText, hasDurations, isDurationFormat, serials } from "./sheet-dates.ts";
import { noteLines, type SheetNotes, sheetNotes } from "./sheet-notes.ts";
import type { ZipMember } from "./zip-archive.ts";

/**
 * Bytes of XML. A larger workbook is read row by row, without formulas: 17 MB of formulas, which are 500,000, exceed the
 * memory of the process.
 */
const maxBytesInMemory = 12 * 1024 * 1024;

const largeSheetNote =
  "The sheet is large: formulas, comments and links are not shown, and hidden rows are not marked. In a Linux environment, " +
  "run_python reads them with openpyxl.";
const durationsNote = "Durations are shown as dates, those of less than 366 days as both.";

/** The most that a cell of Excel has. A text of a hostile workbook may be in many cells. */
const maxCellCharacters = 32_767;

type Format = "xlsx" | "ods";

/** An area of cells, counted from 0. */
interface Area {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

interface Row {
  /** Counted from 0. */
  index: number;
  values: CellValue[];
}

interface OpenSheet {
  rows: () => AsyncIterable<Row> | Iterable<Row>;
  /** By row and column. Absent: they are not read. */
  formulas?: Map<number, string>;
  /** Absent: they are not read. */
  notes?: SheetNotes;
  /** What is not read. */
  note?: string;
  /** The text of a date or time. */
  dateText: (value: Date, row: number, column: number) => string;
}

/**
 * The sheets of a workbook as tables with the numbers of rows and the letters of columns. Empty rows and columns are left
 * out. A formula stands behind the value that is stored for it, comments and links behind the table. `part`: the name of a sheet, or a range such as
 * `Sales!A1:D20`. The text is a little longer than `maxCharacters` when there is more.
 */
export async function spreadsheetText(
  format: Format,
  members: ZipMember[],
  bytes: Uint8Array,
  part: string | undefined,
  maxCharacters: number,
): Promise<string> {
  const { listed, is1904 } = await listSheets({ format, bytes });
  const workbook = { format, bytes, is1904, hasDurations: format === "xlsx" && (await hasDurations(members)) };
  const selected = listed.flatMap((info) => {
    if (part === undefined || part === info.name) return { info };
    const range = part.startsWith(`${info.name}!`) ? part.slice(info.name.length + 1) : "";
    const area = parseArea(range);
    return area ? { info, area } : [];
  });
  const names = listed.map(({ name }) => name);
  if (selected.length === 0) throw new UnknownPart(part ?? "", "sheet", names);

  const size = members.reduce((sum, member) => sum + (member.name.endsWith(".xml") ? member.size : 0), 0);
  const isLarge = size > maxBytesInMemory;
  const infos = selected.map(({ info }) => info);
  const sheets = await openSheets(workbook, infos, isLarge);
  const lines: string[] = [];
  let charactersLeft = maxCharacters;
  for (const [index, sheet] of sheets.entries()) {
    const { info, area } = selected[index] ?? {};
    if (!info) break;
    const hidden = info.hidden || info.veryHidden ? ", hidden" : "";
    lines.push(`[Sheet ${info.index + 1} of ${listed.length}: ${info.name}${hidden}]`);
    for await (const line of tableLines(sheet, area)) {
      lines.push(line);
      charactersLeft -= line.length + 1;
      if (charactersLeft < 0) return lines.join("\n");
    }
    lines.push("");
  }
  return lines.join("\n").trimEnd();
}

interface WorkbookFile {
  format: Format;
  bytes: Uint8Array;
}

interface OpenWorkbook extends WorkbookFile {
  is1904: boolean;
  /** Whether some formats are those of durations. */
  hasDurations: boolean;
}

async function listSheets({ format, bytes }: WorkbookFile): Promise<{ listed: SheetFilterInfo[]; is1904: boolean }> {
  const listed: SheetFilterInfo[] = [];
  const sheets = (info: SheetFilterInfo) => {
    listed[info.index] = info; // the library asks twice for each sheet of an ODS workbook
    return false;
  };
  const { dateSystem } = await (format === "xlsx" ? readXlsx(bytes, { sheets }) : readOds(bytes, { sheets }));
  return { listed, is1904: dateSystem === "1904" };
}

/** Opens sheets in memory, or to be read row by row. A sheet that cannot be read throws when its rows are read. */
async function openSheets(workbook: OpenWorkbook, infos: SheetFilterInfo[], isLarge: boolean): Promise<OpenSheet[]> {
  const { format, bytes, is1904, hasDurations: readStyles } = workbook;
  const read = async (indexes: number[]) => {
    const options = { sheets: indexes };
    const xlsx = { ...options, ...serials, readStyles };
    const { sheets } = await (format === "xlsx" ? readXlsx(bytes, xlsx) : readOds(bytes, options));
    return sheets.map((sheet): OpenSheet => {
      const formatOf = (row: number, column: number) => sheet.cells?.get(`${row},${column}`)?.style?.numFmt ?? "";
      return {
        rows: () => sheet.rows.map((values, index) => ({ index, values })),
        formulas: sheetFormulas(sheet),
        notes: sheetNotes(sheet),
        dateText:
          format === "ods"
            ? isoText
            : (date, row, column) => dateText(date, { is1904, isDuration: isDurationFormat(formatOf(row, column)) }),
      };
    });
  };
  const isDuration = readStyles ? undefined : false;
  const stream = ({ index }: SheetFilterInfo): OpenSheet => ({
    rows: () =>
      format === "xlsx"
        ? streamXlsxRows(bytes, { sheet: index, ...serials })
        : streamOdsRows(bytes, { sheets: [index] }),
    note: readStyles ? `[${largeSheetNote} ${durationsNote}]` : `[${largeSheetNote}]`,
    dateText: format === "ods" ? isoText : (date) => dateText(date, { is1904, isDuration }),
  });
  if (isLarge) return infos.map(stream);
  try {
    return await read(infos.map(({ index }) => index));
  } catch {
    // A sheet is too large for the library, which refuses more than 20 million cells, or has no cells, such as a chart.
    const each = infos.map(async (info) => (await read([info.index]).catch(() => []))[0] ?? stream(info));
    return Promise.all(each);
  }
}

/** Parses `B2` and `A1:D20`. */
function parseArea(text: string): Area | undefined {
  const [, from, to = from] = /^\$?([A-Z]{1,3}\$?\d{1,7})(?::\$?([A-Z]{1,3}\$?\d{1,7}))?$/i.exec(text) ?? [];
  if (from === undefined || to === undefined) return undefined;
  const [first, last] = [from, to].map((cell) => parseCellRef(cell.replace("$", "").toUpperCase()));
  if (!first || !last) return undefined;
  return {
    firstRow: Math.min(first.row, last.row),
    lastRow: Math.max(first.row, last.row),
    firstColumn: Math.min(first.col, last.col),
    lastColumn: Math.max(first.col, last.col),
  };
}

const columnsOfSheet = 16_384;

/** Reads the rows twice: first to find the columns in use. */
async function* tableLines(
  { rows, formulas, notes, note, dateText: textOf }: OpenSheet,
  area?: Area,
): AsyncGenerator<string> {
  const isInside = (row: number, column: number) =>
    !area || (row >= area.firstRow && row <= area.lastRow && column >= area.firstColumn && column <= area.lastColumn);
  const used = new Set<number>();
  try {
    for await (const { index, values } of rows()) {
      for (const [column, value] of values.entries()) {
        if (value !== null && value !== "" && isInside(index, column)) used.add(column);
      }
    }
  } catch (error) {
    const { message } = error as Error;
    yield message.includes("missing worksheet")
      ? "[A chart, without cells.]"
      : `[The sheet cannot be read: ${message}]`;
    return;
  }
  for (const place of formulas?.keys() ?? []) {
    const column = place % columnsOfSheet;
    if (isInside(Math.floor(place / columnsOfSheet), column)) used.add(column);
  }
  const columns = [...used].toSorted((a, b) => a - b);
  if (note !== undefined) yield note;
  if (notes?.hidden !== undefined) yield notes.hidden;
  const noted = noteLines((notes?.cells ?? []).filter(({ row, column }) => isInside(row, column)));
  if (columns.length === 0) {
    yield "[No values.]";
    yield* noted;
    return;
  }
  yield tableRow(["", ...columns.map((column) => colToLetter(column))]);
  yield tableRule(columns.length + 1);
  for await (const { index, values } of rows()) {
    if (area && (index < area.firstRow || index > area.lastRow)) continue;
    const cells = columns.map((column) => {
      const value = valueText(values[column] ?? null, (date) => textOf(date, index, column));
      const formula = formulas?.get(index * columnsOfSheet + column);
      return formula === undefined ? value : `${value} [=${formula}]`.trim();
    });
    if (cells.some((cell) => cell !== "")) yield `| ${index + 1} | ${cells.map(tableCell).join(" | ")} |`;
  }
  yield* noted;
}

/** Formulas by row and column. A shared formula is written for its own cell. */
function sheetFormulas({ cells }: Sheet): Map<number, string> {
  const shared = new Map<number, string>();
  const formulas = new Map<number, string>();
  for (const [place, { formula, formulaSharedIndex: index }] of cells ?? []) {
    if (formula === undefined) continue;
    const [row = 0, column = 0] = place.split(",").map(Number);
    const relative = index === undefined ? undefined : shared.get(index);
    if (index !== undefined && formula !== "") shared.set(index, a1ToR1C1(formula, row, column));
    const text = formula === "" && relative !== undefined ? r1c1ToA1(relative, row, column) : formula;
    // Newer functions are stored with a prefix that people do not see.
    if (text !== "") formulas.set(row * columnsOfSheet + column, text.replaceAll(/_xlfn\.(_xlws\.)?/g, ""));
  }
  return formulas;
}

function valueText(value: CellValue, textOf: (date: Date) => string): string {
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value === "string") return value.slice(0, maxCellCharacters);
  return value instanceof Date ? textOf(value) : String(value);
}

/** A date of an ODS workbook, which is stored as such. */
function isoText(value: Date): string {
  if (Number.isNaN(value.getTime())) return "[not a date]";
  const [date = "", time = ""] = value.toISOString().slice(0, 19).split("T");
  return time === "00:00:00" ? date : `${date} ${time}`;
}

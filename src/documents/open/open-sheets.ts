import {
  a1ToR1C1,
  type CellValue,
  r1c1ToA1,
  readOds,
  readXlsx,
  type Sheet,
  type SheetFilterInfo,
  streamOdsRows,
  streamXlsxRows,
} from "hucre";
import { dateText, isDurationFormat, serials } from "../sheets/sheet-dates.ts";
import { cellText, type WorkbookStyles } from "../sheets/sheet-formats.ts";
import { type SheetNotes, sheetNotes } from "../sheets/sheet-notes.ts";

const largeSheetNote =
  "The sheet is large: formulas, comments, links and charts are not shown, and hidden rows are not marked. In a " +
  "Linux environment, run_python reads them with openpyxl.";
const formatsNote = "Units of numbers, such as %, leading zeros and struck-out text are not shown.";
const durationsNote = "Durations are shown as dates, those of less than 366 days as both.";

export type Format = "xlsx" | "ods";

/** The columns of each sheet of Excel. */
export const columnsOfSheet = 16_384;

interface Row {
  /** Counted from 0. */
  index: number;
  values: CellValue[];
}

export interface OpenSheet {
  rows: () => AsyncIterable<Row> | Iterable<Row>;
  /** By row and column. Absent: they are not read. */
  formulas?: Map<number, string>;
  /** Absent: they are not read. */
  notes?: SheetNotes;
  /** What is not read. */
  note?: string;
  /** The text of a cell with what its format says. Absent: formats are not read. */
  textOf?: (value: CellValue, text: string, row: number, column: number) => string;
  /** The text of a date or time. */
  dateText: (value: Date, row: number, column: number) => string;
}

interface WorkbookFile {
  format: Format;
  bytes: Uint8Array;
}

export interface OpenWorkbook extends WorkbookFile {
  is1904: boolean;
  styles: WorkbookStyles;
}

/** Lists the sheets of a workbook. */
export async function listSheets({
  format,
  bytes,
}: WorkbookFile): Promise<{ listed: SheetFilterInfo[]; is1904: boolean }> {
  const listed: SheetFilterInfo[] = [];
  const sheets = (info: SheetFilterInfo) => {
    listed[info.index] = info; // the library asks twice for each sheet of an ODS workbook
    return false;
  };
  const { dateSystem } = await (format === "xlsx" ? readXlsx(bytes, { sheets }) : readOds(bytes, { sheets }));
  return { listed, is1904: dateSystem === "1904" };
}

/** Opens sheets in memory, or to be read row by row. A sheet that cannot be read throws when its rows are read. */
export async function openSheets(
  workbook: OpenWorkbook,
  infos: SheetFilterInfo[],
  isLarge: boolean,
): Promise<OpenSheet[]> {
  const { format, bytes, is1904, styles } = workbook;
  const readStyles = styles.hasDurations || styles.hasMeaning;
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
        textOf: (value, text, row, column) => cellText(sheet.cells?.get(`${row},${column}`), value, text),
        dateText:
          format === "ods"
            ? isoText
            : (date, row, column) => dateText(date, { is1904, isDuration: isDurationFormat(formatOf(row, column)) }),
      };
    });
  };
  const isDuration = styles.hasDurations ? undefined : false;
  const lacks = [
    largeSheetNote,
    ...(styles.hasDurations ? [durationsNote] : []),
    ...(styles.hasMeaning ? [formatsNote] : []),
  ];
  const stream = ({ index }: SheetFilterInfo): OpenSheet => ({
    rows: () =>
      format === "xlsx"
        ? streamXlsxRows(bytes, { sheet: index, ...serials })
        : streamOdsRows(bytes, { sheets: [index] }),
    note: `[${lacks.join(" ")}]`,
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

/** A date of an ODS workbook, which is stored as such. */
function isoText(value: Date): string {
  if (Number.isNaN(value.getTime())) return "[not a date]";
  const [date = "", time = ""] = value.toISOString().slice(0, 19).split("T");
  return time === "00:00:00" ? date : `${date} ${time}`;
}

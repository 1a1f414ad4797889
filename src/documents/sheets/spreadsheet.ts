import { type CellValue, colToLetter, parseCellRef } from "hucre";
import type { Ledger } from "../ledger.ts";
import { tableCell, tableRow, tableRule } from "../markdown.ts";
import { UnknownPart } from "../parts.ts";
import { columnsOfSheet, type Format, listSheets, type OpenSheet, openSheets } from "../open/open-sheets.ts";
import { type SheetDrawings, sheetDrawings } from "./sheet-drawings.ts";
import { workbookStyles } from "./sheet-formats.ts";
import { sheetNoteLines } from "./sheet-notes.ts";
import { readMemberText, type ZipMember } from "../zip/zip-archive.ts";

/**
 * Bytes of XML. A larger workbook is read row by row, without formulas: 17 MB of formulas, which are 500,000, exceed the
 * memory of the process.
 */
const maxBytesInMemory = 12 * 1024 * 1024;

/** The most that a cell of Excel has. A text of a hostile workbook may be in many cells. */
const maxCellCharacters = 32_767;

/** An area of cells, counted from 0. */
interface Area {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

/**
 * The sheets of a workbook as tables with the numbers of rows and the letters of columns. Empty rows and columns are left
 * out. A formula stands behind the value that is stored for it, comments, links and text boxes behind the table. `part`: the name of a sheet, or a range such as
 * `Sales!A1:D20`. The text is a little longer than `maxCharacters` when there is more.
 */
export async function spreadsheetText(
  format: Format,
  members: ZipMember[],
  bytes: Uint8Array,
  part: string | undefined,
  maxCharacters: number,
  ledger: Ledger,
): Promise<string> {
  const { listed, is1904 } = await listSheets({ format, bytes });
  const none = { hasDurations: false, hasMeaning: false };
  const workbook = { format, bytes, is1904, styles: format === "xlsx" ? await workbookStyles(members) : none };
  if (format === "ods") await nameLosses(members, ledger);
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
  const drawings = format === "xlsx" ? await sheetDrawings(members) : [];
  const lines: string[] = [];
  let charactersLeft = maxCharacters;
  for (const [index, sheet] of sheets.entries()) {
    const { info, area } = selected[index] ?? {};
    if (!info) break;
    const { texts = [], pictures = 0 } = drawings[info.index] ?? {};
    ledger.leaveOut("picture", pictures);
    const hidden = info.hidden || info.veryHidden ? ", hidden" : "";
    lines.push(`[Sheet ${info.index + 1} of ${listed.length}: ${info.name}${hidden}]`);
    for await (const line of tableLines(sheet, texts, area)) {
      lines.push(line);
      charactersLeft -= line.length + 1;
      if (charactersLeft < 0) return lines.join("\n");
    }
    lines.push("");
  }
  return lines.join("\n").trimEnd();
}

/** What the library does not read of an ODS workbook. */
async function nameLosses(members: ZipMember[], ledger: Ledger): Promise<void> {
  const xml = (await readMemberText(members, "content.xml")) ?? "";
  if (/office:value-type="(?:percentage|currency)"/.test(xml)) {
    ledger.say("Percentages and amounts are shown as numbers, without their signs and currencies.");
  }
  ledger.leaveOut("drawing or chart", xml.match(/<draw:frame[\s>]/g)?.length ?? 0, "drawings and charts");
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

/** Reads the rows twice: first to find the columns in use. */
async function* tableLines(
  { rows, formulas, notes, note, textOf = (_, text) => text, dateText: dateOf }: OpenSheet,
  texts: SheetDrawings["texts"],
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
  const inside = <T extends { row: number; column: number }>(all: T[] = []) =>
    all.filter(({ row, column }) => isInside(row, column));
  const noted = sheetNoteLines({
    cells: inside(notes?.cells),
    drawings: [...inside(texts), ...inside(notes?.drawings)],
  });
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
      const stored = values[column] ?? null;
      const value = textOf(
        stored,
        valueText(stored, (date) => dateOf(date, index, column)),
        index,
        column,
      );
      const formula = formulas?.get(index * columnsOfSheet + column);
      return formula === undefined ? value : `${value} [=${formula}]`.trim();
    });
    if (cells.some((cell) => cell !== "")) yield `| ${index + 1} | ${cells.map(tableCell).join(" | ")} |`;
  }
  yield* noted;
}

function valueText(value: CellValue, dateOf: (date: Date) => string): string {
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value === "string") return value.slice(0, maxCellCharacters);
  return value instanceof Date ? dateOf(value) : String(value);
}

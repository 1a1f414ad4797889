import { type CellComment, colToLetter, type Hyperlink, type Sheet } from "hucre";

/** Comments, links and ranges of hidden rows that are named. */
const maxNamed = 200;
const maxCommentCharacters = 2_000;

/** A cell that has more than its value. Row and column are counted from 0. */
interface NotedCell {
  row: number;
  column: number;
  comment?: CellComment | undefined;
  hyperlink?: Hyperlink | undefined;
}

/** What a table of values does not show: `hidden` rows and columns as a line, and cells with comments and links. */
export interface SheetNotes {
  hidden?: string;
  cells: NotedCell[];
  /** Charts with the cells at which they begin. */
  drawings: { row: number; column: number; text: string }[];
}

export function sheetNotes(sheet: Sheet): SheetNotes {
  const { cells, rowDefs, columns } = sheet;
  const rows = [...(rowDefs ?? [])].filter(([, { hidden }]) => hidden).map(([row]) => row);
  const hiddenColumns = (columns ?? []).flatMap(({ hidden }, column) => (hidden ? [column] : []));
  const hidden = [
    ...(rows.length > 0 ? [`rows ${ranges(rows, (row) => String(row + 1))}`] : []),
    ...(hiddenColumns.length > 0 ? [`columns ${ranges(hiddenColumns, colToLetter)}`] : []),
  ];
  const noted = [...(cells ?? [])].flatMap(([place, { comment, hyperlink }]) => {
    if (!comment && !hyperlink) return [];
    const [row = 0, column = 0] = place.split(",").map(Number);
    return [{ row, column, comment, hyperlink }];
  });
  noted.sort((a, b) => a.row - b.row || a.column - b.column);
  return {
    ...(hidden.length > 0 && { hidden: `[Hidden in the sheet: ${hidden.join("; ")}.]` }),
    cells: noted,
    drawings: chartsOf(sheet),
  };
}

function chartsOf({ charts = [] }: Sheet): SheetNotes["drawings"] {
  return charts.map(({ title = "", kinds, series = [], anchor }) => {
    const shown = series.flatMap(({ valuesRef }) => valuesRef ?? []).slice(0, maxNamed);
    const values = shown.length > 0 ? `; it shows ${shown.join(", ")}` : "";
    const { row, col } = anchor?.from ?? { row: 0, col: 0 };
    return { row, column: col, text: `Chart (${kinds.join(", ")})${title === "" ? "" : `: ${title}`}${values}` };
  });
}

/** The comments and links of cells, and the text boxes and charts, as lines. */
export function sheetNoteLines({ cells, drawings }: Pick<SheetNotes, "cells" | "drawings">): string[] {
  const drawn = drawings.map(({ row, column, text }) => `[At ${colToLetter(column)}${row + 1}: ${oneLine(text)}]`);
  const lines = cells.flatMap(({ row, column, comment, hyperlink }) => {
    const cell = `${colToLetter(column)}${row + 1}`;
    const target = hyperlink?.target || hyperlink?.location;
    return [
      ...(comment
        ? [`[Comment on ${cell}${comment.author ? ` by ${comment.author}` : ""}: ${oneLine(comment.text)}]`]
        : []),
      ...(target ? [`[Link of ${cell}: ${oneLine(target)}]`] : []),
    ];
  });
  lines.push(...drawn);
  const left = lines.length - maxNamed;
  return left > 0
    ? [...lines.slice(0, maxNamed), `[${left} more comments, links and drawings. Read a range of the sheet.]`]
    : lines;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").slice(0, maxCommentCharacters);
}

/** Ascending numbers as ranges: `3-5, 9`. */
function ranges(numbers: number[], nameOf: (each: number) => string): string {
  const found: { first: number; last: number }[] = [];
  for (const each of numbers.toSorted((a, b) => a - b)) {
    const range = found.at(-1);
    if (range?.last === each - 1) range.last = each;
    else found.push({ first: each, last: each });
  }
  const names = found.map(({ first, last }) => (first === last ? nameOf(first) : `${nameOf(first)}-${nameOf(last)}`));
  const left = names.length - maxNamed;
  return [...names.slice(0, maxNamed), ...(left > 0 ? [`and ${left} more`] : [])].join(", ");
}

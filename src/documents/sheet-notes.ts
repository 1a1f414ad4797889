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
}

export function sheetNotes({ cells, rowDefs, columns }: Sheet): SheetNotes {
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
  return { ...(hidden.length > 0 && { hidden: `[Hidden in the sheet: ${hidden.join("; ")}.]` }), cells: noted };
}

/** The comments and links of cells, as lines. */
export function noteLines(cells: NotedCell[]): string[] {
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
  const left = lines.length - maxNamed;
  return left > 0
    ? [...lines.slice(0, maxNamed), `[${left} more comments and links. Read a range of the sheet.]`]
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

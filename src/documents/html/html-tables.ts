import type { HtmlElement } from "./html-node.ts";

/** A table that is not used for layout. */
interface DataTable {
  firstRow: HtmlElement | undefined;
  columns: number;
  /** Empty cells before and after a cell, where it or another one spans columns or rows. */
  gaps: Map<HtmlElement, { before: number; after: number }>;
}

/** Empty cells for spans, of all tables. */
const maxGaps = 200_000;
const maxSpan = 1_000;

/** Returns the table around an element, undefined for one that is used for layout. */
export function dataTables(): (element: HtmlElement) => DataTable | undefined {
  const tables = new Map<HtmlElement, DataTable | undefined>();
  const budget = { left: maxGaps };
  return (element) => {
    const table = element.closest("table");
    if (!table) return undefined;
    if (!tables.has(table)) {
      const rows = table.querySelector("table") ? [] : Array.from(table.querySelectorAll("tr"));
      const columns = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
      tables.set(table, columns > 1 ? layOut(rows, budget) : undefined);
    }
    return tables.get(table);
  };
}

interface Place {
  cell: HtmlElement;
  row: number;
  column: number;
  columns: number;
  rows: number;
}

/** Finds the columns of all cells, so that those after a span stay in theirs. */
function layOut(rows: HtmlElement[], budget: { left: number }): DataTable {
  const places = placeCells(rows);
  // A title often spans 100 columns of a table that has three.
  const columns = places.reduce((most, { column }) => Math.max(most, column + 1), 0);
  const ends = rows.map(() => 0);
  const gaps: DataTable["gaps"] = new Map();
  let last: { place: Place; gap: { before: number; after: number } } | undefined;
  for (const place of places) {
    const before = Math.min(place.column - (ends[place.row] ?? 0), budget.left);
    const after = Math.min(Math.min(place.column + place.columns, columns) - place.column - 1, budget.left - before);
    budget.left -= before + after;
    const gap = { before, after };
    gaps.set(place.cell, gap);
    ends[place.row] = place.column + 1 + after;
    if (last && last.place.row !== place.row) padRow(last.gap, ends[last.place.row] ?? 0);
    last = { place, gap };
  }
  if (last) padRow(last.gap, ends[last.place.row] ?? 0);
  return { firstRow: rows[0], columns, gaps };

  /** Columns at the end of a row that rows above it span. */
  function padRow(gap: { after: number }, end: number): void {
    const missing = Math.min(columns - end, budget.left);
    budget.left -= missing;
    gap.after += missing;
  }
}

function placeCells(rows: HtmlElement[]): Place[] {
  const places: Place[] = [];
  /** By column: the row below the cell that spans rows there. */
  const taken: number[] = [];
  for (const [row, { cells }] of rows.entries()) {
    let column = 0;
    for (const cell of Array.from(cells)) {
      while ((taken[column] ?? 0) > row) column++;
      const [columns, spanned] = [spanOf(cell, "colspan"), spanOf(cell, "rowspan")];
      places.push({ cell, row, column, columns, rows: spanned });
      if (spanned > 1) for (let next = 0; next < columns; next++) taken[column + next] = row + spanned;
      column += columns;
    }
  }
  return places;
}

/** `rowspan="0"`: to the end of the table. */
function spanOf(cell: HtmlElement, name: string): number {
  const value = Number.parseInt(cell.getAttribute(name) ?? "1", 10);
  if (value === 0 && name === "rowspan") return 65_534;
  return Math.min(Math.max(value || 1, 1), maxSpan);
}

import type { ComponentChildren } from "preact";

/** A column after the first. `of`: what it shows of a row. */
export interface NumbersColumn<Row> {
  name: string;
  of: (row: Row, index: number) => ComponentChildren;
  /** It shows no number: its cells begin at the start. */
  isText?: boolean;
  /** The rows are sorted by it, the largest first. */
  isRank?: boolean;
  /** Class of its cells. */
  class?: (row: Row) => string;
}

interface NumbersTableProps<Row> {
  /** `table`, or `run-table` beside a run. */
  class: string;
  /** The first column: what the numbers of a row are about. */
  head: string;
  of: (row: Row, index: number) => ComponentChildren;
  columns: NumbersColumn<Row>[];
  rows: Row[];
  rowClass?: (row: Row) => string;
}

/** A table of numbers: names begin at the start of their cells, numbers end at the end. */
export function NumbersTable<Row>({ class: kind, head, of, columns, rows, rowClass }: NumbersTableProps<Row>) {
  return (
    <table class={kind}>
      <thead>
        <tr>
          <th scope="col">{head}</th>
          {columns.map(({ name, isText, isRank }) => (
            <th key={name} scope="col" class={isText ? "" : "number"} aria-sort={isRank ? "descending" : undefined}>
              {name}
              {isRank && " ↓"}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index} class={rowClass?.(row)}>
            <th scope="row">{of(row, index)}</th>
            {columns.map((column) => (
              <td key={column.name} class={`${column.isText ? "" : "number"} ${column.class?.(row) ?? ""}`}>
                {column.of(row, index)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

import { type ComponentChildren, Fragment, type TableHTMLAttributes } from "preact";

/** A column of a table: its head, and what its cells show of their rows. */
export interface Column<Row> {
  head: ComponentChildren;
  cell: (row: Row, index: number) => ComponentChildren;
  /** Class of the head and of the cells. `number`: they end at the end. */
  class?: string;
  /** Class of the cells alone. */
  cellClass?: string | ((row: Row) => string);
  /** The tooltip of a cell. */
  title?: (row: Row) => string | undefined;
  /** How the rows are sorted by it. Undefined: by another column, or by none. */
  sorted?: "ascending" | "descending" | false | undefined;
  /** Sorts by it. */
  onSort?: () => void;
  /** Its cells are the heads of their rows. */
  isName?: boolean;
}

interface RowsProps<Row> {
  class?: string;
  /** `false`: the column is not shown. */
  columns: (Column<Row> | false)[];
  rows: Row[];
  /** Default: the index. */
  keyOf?: (row: Row) => string | number;
  /** Attributes of a row. */
  rowProps?: (row: Row, index: number) => TableHTMLAttributes<HTMLTableRowElement>;
  /** Shown below a row, from its second column on. Falsy: nothing is. */
  below?: (row: Row) => ComponentChildren;
}

/** A table with a row of cells for each of `rows`. */
export function Rows<Row>({ class: kind = "table", columns, rows, keyOf, rowProps, below }: RowsProps<Row>) {
  const shown = columns.filter((column) => column !== false);
  return (
    <table class={kind}>
      <thead>
        <tr>
          {shown.map((column, index) => (
            <Head key={index} {...column} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => {
          const more = below?.(row);
          return (
            <Fragment key={keyOf ? keyOf(row) : index}>
              <tr {...rowProps?.(row, index)}>
                {shown.map((column, place) => (
                  <Cell key={place} column={column} row={row} index={index} />
                ))}
              </tr>
              {more && (
                <tr class="detail">
                  <td />
                  <td colSpan={shown.length - 1}>{more}</td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

function Head<Row>({ head, class: kind, sorted, onSort }: Column<Row>) {
  const text = (
    <>
      {head}
      {sorted && (sorted === "ascending" ? " ↑" : " ↓")}
    </>
  );
  return (
    <th scope="col" class={kind} aria-sort={sorted || undefined}>
      {onSort ? (
        <button type="button" onClick={onSort}>
          {text}
        </button>
      ) : (
        text
      )}
    </th>
  );
}

function Cell<Row>({ column, row, index }: { column: Column<Row>; row: Row; index: number }) {
  const { class: kind = "", cellClass = "", title, cell, isName } = column;
  const own = typeof cellClass === "string" ? cellClass : cellClass(row);
  if (isName) return <th scope="row">{cell(row, index)}</th>;
  return (
    <td class={`${kind} ${own}`.trim() || undefined} title={title?.(row)}>
      {cell(row, index)}
    </td>
  );
}

/** The head of a column of buttons. */
export const actionsHead = <span class="visually-hidden">Actions</span>;

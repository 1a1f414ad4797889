import { useState } from "preact/hooks";
import { type Column, Rows } from "../../ui/rows.tsx";
import { visible, visibleLine } from "../text/visible.ts";
import { count } from "../text/words.ts";
import { cellOf, type ResultTable } from "./result-rows.ts";
import type { ResultObject } from "./result-value.ts";

/** Rows of a table at first, and those that a click adds at most. */
const [firstRows, moreRows] = [5, 1_000];

/** The arrays of objects of a result. */
export function ResultTables({ tables }: { tables: ResultTable[] }) {
  return (
    <>
      {tables.map((table) => (
        <Table key={table.place} table={table} named={tables.length > 1} />
      ))}
    </>
  );
}

function Table({ table, named }: { table: ResultTable; named: boolean }) {
  const [most, setMost] = useState(firstRows);
  const { place, columns, hidden, rows } = table;
  const [shown, all] = [Math.min(most, rows.length), rows.length];
  return (
    <>
      {named && (
        <bdi dir="auto" class="mono">
          {visibleLine(place, 120)}
        </bdi>
      )}
      <div class="result-box">
        <div class="result-scroll" role="region" aria-label={`Table ${visibleLine(place, 120)}`} tabIndex={0}>
          <Rows
            class="result-table"
            rows={rows.slice(0, shown)}
            columns={columns.map(({ name, isNumber }): Column<ResultObject> => ({
              head: (
                <bdi dir="auto" title={visible(name)}>
                  {visibleLine(name, 80)}
                </bdi>
              ),
              class: isNumber ? "number" : "",
              cellClass: (row) => (row[name] === null ? "null" : ""),
              title: (row) => visibleLine(cellOf(row, name) ?? "", 1_000),
              cell: (row) => <bdi dir="auto">{visibleLine(cellOf(row, name) ?? "", 120)}</bdi>,
            }))}
          />
        </div>
        {(shown < all || hidden > 0) && (
          <p class="result-more">
            {shown.toLocaleString("en")} of {count(all, "row")} shown
            {hidden > 0 && `, without ${count(hidden, "field")}`}.
            {shown < all && (
              <button type="button" class="link" onClick={() => setMost(shown + moreRows)}>
                {all - shown <= moreRows ? `Show all ${all.toLocaleString("en")}` : "Show 1,000 more"}
              </button>
            )}
          </p>
        )}
      </div>
    </>
  );
}

import { useState } from "preact/hooks";
import { visible, visibleLine } from "../text/visible.ts";
import { count } from "../text/words.ts";
import { cellOf, type ResultTable } from "./result-rows.ts";

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
          <table class="result-table">
            <thead>
              <tr>
                {columns.map(({ name, isNumber }) => (
                  <th key={name} scope="col" class={isNumber ? "number" : ""} title={visible(name)}>
                    <bdi dir="auto">{visibleLine(name, 80)}</bdi>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, shown).map((row, index) => (
                <tr key={index}>
                  {columns.map(({ name, isNumber }) => (
                    <Cell key={name} text={cellOf(row, name)} isNull={row[name] === null} isNumber={isNumber} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
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

function Cell({ text, isNull, isNumber }: { text: string | undefined; isNull: boolean; isNumber: boolean }) {
  return (
    <td class={isNull ? "null" : isNumber ? "number" : ""} title={text === undefined ? "" : visibleLine(text, 1_000)}>
      <bdi dir="auto">{text === undefined ? "" : visibleLine(text, 120)}</bdi>
    </td>
  );
}

import { formatNumber } from "../format.ts";
import { costText } from "../state/cost.ts";
import { Rows } from "../ui/rows.tsx";
import { cachedShare, type Report, sum, tokensOf } from "./report.ts";
import { percent } from "./words.ts";

/** The sums of each day, newest first: what the charts show, for those who do not see them. */
export function DaysTable({ report }: { report: Report }) {
  const rows = report.days.map((day, index) => ({
    day,
    total: sum(report.series.flatMap(({ days }) => days[index] ?? [])),
  }));
  return (
    <details class="panel days-table">
      <summary>Numbers per day</summary>
      <div class="scroll-x">
        <Rows
          columns={[
            { head: "Day (UTC)", isName: true, cell: ({ day }) => day },
            { head: "Runs", class: "number", cell: ({ total }) => formatNumber(total.runs) },
            { head: "Steps", class: "number", cell: ({ total }) => formatNumber(total.steps) },
            { head: "Tokens", class: "number", cell: ({ total }) => tokensOf(total).toLocaleString("en-US") },
            { head: "From cache", class: "number", cell: ({ total }) => percent(cachedShare(total)) },
            { head: "Cost", class: "number", cell: ({ total }) => costText(total, 4) },
          ]}
          rows={rows.toReversed()}
        />
      </div>
    </details>
  );
}

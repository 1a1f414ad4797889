import { formatNumber } from "../format.ts";
import { costText } from "../state/cost.ts";
import { NumbersTable } from "../ui/numbers-table.tsx";
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
        <NumbersTable
          class="table"
          head="Day (UTC)"
          of={({ day }) => day}
          columns={[
            { name: "Runs", of: ({ total }) => formatNumber(total.runs) },
            { name: "Steps", of: ({ total }) => formatNumber(total.steps) },
            { name: "Tokens", of: ({ total }) => tokensOf(total).toLocaleString("en-US") },
            { name: "From cache", of: ({ total }) => percent(cachedShare(total)) },
            { name: "Cost", of: ({ total }) => costText(total, 4) },
          ]}
          rows={rows.toReversed()}
        />
      </div>
    </details>
  );
}

import { formatDollars, formatNumber } from "../format.ts";
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
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              {["Runs", "Steps", "Tokens", "From cache", "Cost"].map((name) => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.toReversed().map(({ day, total }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td class="number">{formatNumber(total.runs)}</td>
                <td class="number">{formatNumber(total.steps)}</td>
                <td class="number">{tokensOf(total).toLocaleString("en-US")}</td>
                <td class="number">{percent(cachedShare(total))}</td>
                <td class="number">{formatDollars(total.dollars, 4)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

import type { RunCounts } from "../api/types.ts";
import { formatDollars, formatNumber } from "../format.ts";
import { pageUrl } from "../state/url.ts";
import { BudgetBar } from "./budget-bar.tsx";
import { cachedShare, type Grouping, type Report, type Series, tokensOf } from "./report.ts";
import { percent } from "./words.ts";

interface UsageTableProps {
  report: Report;
  grouping: Grouping;
  counts: Map<string, RunCounts>;
  budgets: Map<string, number>;
}

/** The numbers of the charts, by agent or model. */
export function UsageTable({ report, grouping, counts, budgets }: UsageTableProps) {
  const isByAgent = grouping === "agent";
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{isByAgent ? "Agents" : "Models"}</h2>
        <a class="button small" href={pageUrl("models")}>
          Set a budget…
        </a>
      </header>
      <div class="scroll-x">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{isByAgent ? "Agent" : "Model"}</th>
              <NumberHead name="Runs" />
              {isByAgent && <NumberHead name="Technical errors" />}
              <NumberHead name="Tokens" />
              <NumberHead name="From cache" />
              <NumberHead name="Cost" />
              <NumberHead name="Cost per run" />
              {isByAgent && <th scope="col">Budget today</th>}
            </tr>
          </thead>
          <tbody>
            {report.series.map((series, index) => (
              <tr key={index}>
                <td>
                  <i class={`swatch s${index + 1}`} /> <SeriesName series={series} grouping={grouping} />
                </td>
                <td class="number">{formatNumber(series.total.runs)}</td>
                {isByAgent && <td class="number">{errorsOf(series, counts)}</td>}
                <td class="number">{formatNumber(tokensOf(series.total))}</td>
                <td class="number">{percent(cachedShare(series.total))}</td>
                <td class="number">{formatDollars(series.total.dollars, 2)}</td>
                <td class="number">
                  {series.total.runs === 0 ? "–" : formatDollars(series.total.dollars / series.total.runs, 3)}
                </td>
                {isByAgent && (
                  <td>
                    <Budget series={series} budgets={budgets} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function NumberHead({ name }: { name: string }) {
  return (
    <th scope="col" class="number">
      {name}
    </th>
  );
}

function SeriesName({ series: { id, name }, grouping }: { series: Series; grouping: Grouping }) {
  if (typeof id !== "string") return <span class="muted">{name}</span>;
  if (grouping === "model") return <span class="mono">{name}</span>;
  return (
    <a class="row-link" href={pageUrl(`agents/${id}`)}>
      <bdi>{name}</bdi>
    </a>
  );
}

function errorsOf({ id }: Series, counts: Map<string, RunCounts>): string {
  const found = counts.get(id ?? "");
  if (!found) return "–";
  return `${formatNumber(found.technical_error)}${found.complete ? "" : "+"}`;
}

function Budget({ series, budgets }: { series: Series; budgets: Map<string, number> }) {
  const budget = budgets.get(series.id ?? "");
  if (budget === undefined) return <span class="muted">{series.id === undefined ? "–" : "none"}</span>;
  return <BudgetBar spent={series.days.at(-1)?.dollars ?? 0} budget={budget} badge />;
}

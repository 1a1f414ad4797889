import type { RunCounts } from "../api/types.ts";
import { formatDollars, formatNumber } from "../format.ts";
import { pageUrl } from "../state/url.ts";
import { NumbersTable } from "../ui/numbers-table.tsx";
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
        <NumbersTable
          class="table usage-table"
          head={isByAgent ? "Agent" : "Model"}
          of={(series, index) => (
            <>
              <i class={`swatch s${index + 1}`} /> <SeriesName series={series} grouping={grouping} />
            </>
          )}
          columns={[
            { name: "Runs", of: ({ total }) => formatNumber(total.runs) },
            ...(isByAgent ? [{ name: "Technical errors", of: (series: Series) => errorsOf(series, counts) }] : []),
            { name: "Tokens", of: ({ total }) => formatNumber(tokensOf(total)) },
            { name: "From cache", of: ({ total }) => percent(cachedShare(total)) },
            { name: "Cost", of: ({ total }) => formatDollars(total.dollars, 2) },
            {
              name: "Cost per run",
              of: ({ total }) => (total.runs === 0 ? "–" : formatDollars(total.dollars / total.runs, 3)),
            },
            ...(isByAgent
              ? [
                  {
                    name: "Budget today",
                    isText: true,
                    of: (series: Series) => <Budget series={series} budgets={budgets} />,
                  },
                ]
              : []),
          ]}
          rows={report.series}
        />
      </div>
    </section>
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

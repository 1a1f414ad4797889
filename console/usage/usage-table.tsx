import { useState } from "preact/hooks";
import type { RunCounts } from "../api/types.ts";
import { formatDollars, formatNumber } from "../format.ts";
import { costText } from "../state/cost.ts";
import { pageUrl } from "../state/url.ts";
import { Icon } from "../ui/icon.tsx";
import { NumbersTable } from "../ui/numbers-table.tsx";
import { BudgetBar } from "./budget-bar.tsx";
import { cachedShare, type Grouping, type Report, type Series, tokensOf, type Totals } from "./report.ts";
import { percent } from "./words.ts";

interface UsageTableProps {
  report: Report;
  grouping: Grouping;
  counts: Map<string, RunCounts>;
  budgets: Map<string, number | null>;
}

/** The numbers of the charts, by agent or model. The series that adds up others opens, and then there is a row for each. */
export function UsageTable({ report, grouping, counts, budgets }: UsageTableProps) {
  const isByAgent = grouping === "agent";
  const [open, setOpen] = useState(false);
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
              <i class={index < report.series.length ? `swatch s${index + 1}` : "swatch"} />{" "}
              {series.id === undefined ? (
                <button type="button" class="others" aria-expanded={open} onClick={() => setOpen(!open)}>
                  {series.name}
                  <Icon name={open ? "up" : "down"} />
                </button>
              ) : (
                <SeriesName series={series} grouping={grouping} />
              )}
            </>
          )}
          columns={[
            { name: "Runs", of: ({ total }) => formatNumber(total.runs) },
            ...(isByAgent ? [{ name: "Technical errors", of: (series: Series) => errorsOf(series, counts) }] : []),
            { name: "Tokens", of: ({ total }) => formatNumber(tokensOf(total)) },
            { name: "From cache", of: ({ total }) => percent(cachedShare(total)) },
            { name: "Cost", of: ({ total }) => costText(total, 2) },
            {
              name: "Cost per run",
              of: ({ total }) => perRun(total),
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
          rows={open ? [...report.series, ...report.others] : report.series}
        />
      </div>
    </section>
  );
}

function SeriesName({ series: { id, name }, grouping }: { series: Series; grouping: Grouping }) {
  if (id === null) return <span class="muted">{name}</span>;
  if (grouping === "model") return <span class="mono">{name}</span>;
  return (
    <a class="row-link" href={pageUrl(`agents/${id}`)}>
      <bdi>{name}</bdi>
    </a>
  );
}

function perRun(total: Totals): string {
  if (total.unpricedTokens > 0) return "not known";
  return total.runs === 0 ? "–" : formatDollars(total.dollars / total.runs, 3);
}

function errorsOf({ id }: Series, counts: Map<string, RunCounts>): string {
  const found = counts.get(id ?? "");
  if (!found) return "–";
  return `${formatNumber(found.technical_error)}${found.complete ? "" : "+"}`;
}

function Budget({ series, budgets }: { series: Series; budgets: Map<string, number | null> }) {
  const budget = budgets.get(series.id ?? "");
  if (budget == null) return <span class="muted">{budget === undefined ? "–" : "none"}</span>;
  return <BudgetBar spent={series.days.at(-1)?.dollars ?? 0} budget={budget} badge />;
}

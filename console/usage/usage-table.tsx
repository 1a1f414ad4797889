import { useState } from "preact/hooks";
import { formatDollars, formatNumber } from "../format.ts";
import { costText } from "../state/cost.ts";
import { pageUrl } from "../state/url.ts";
import { Icon } from "../ui/icon.tsx";
import { type Column, Rows } from "../ui/rows.tsx";
import { BudgetBar } from "./budget-bar.tsx";
import {
  added,
  cachedShare,
  type Grouping,
  type Measure,
  type Report,
  type Series,
  shareOf,
  tokensOf,
  type Totals,
} from "./report.ts";
import { percent } from "./words.ts";

interface UsageTableProps {
  report: Report;
  grouping: Grouping;
  budgets: Map<string, number>;
}

/** A row: a series, or what is left of "Other" below its first ones. */
interface Row {
  series: Series;
  /** Of the chart: its colour. Undefined: it is in "Other". */
  index?: number;
  isRest?: boolean;
}

/** Series of "Other" that it shows when it is opened. The others take a click. */
const firstOthers = 10;

/** The numbers of the charts, by agent or model. The series that adds up others opens, and then there is a row for each. */
export function UsageTable({ report, grouping, budgets }: UsageTableProps) {
  const isByAgent = grouping === "agent";
  const [shown, setShown] = useState(0);
  const rows = rowsOf(report, shown, grouping);
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{isByAgent ? "Agents" : "Models"}</h2>
        <a class="button small" href={pageUrl("models")}>
          Set a budget…
        </a>
      </header>
      <div class="scroll-x">
        <Rows
          class="table usage-table"
          columns={[
            {
              head: isByAgent ? "Agent" : "Model",
              isName: true,
              cell: ({ series, index, isRest }) => {
                if (isRest) {
                  return (
                    <button type="button" class="rest" onClick={() => setShown(report.others.length)}>
                      {series.name}
                    </button>
                  );
                }
                if (index === undefined) return <SeriesName series={series} grouping={grouping} />;
                return (
                  <span class="series">
                    <i class={`swatch s${index + 1}`} />
                    {series.id === undefined ? (
                      <OthersButton
                        series={series}
                        isOpen={shown > 0}
                        onClick={() => setShown(shown > 0 ? 0 : firstOthers)}
                      />
                    ) : (
                      <SeriesName series={series} grouping={grouping} />
                    )}
                  </span>
                );
              },
            },
            ...columnsOf(report, grouping, budgets),
          ]}
          rows={rows}
          rowProps={({ series, index }) => ({
            class: index === undefined ? "of-other" : series.id === undefined && shown > 0 ? "open" : "",
          })}
        />
      </div>
    </section>
  );
}

function rowsOf({ series, others, days }: Report, shown: number, grouping: Grouping): Row[] {
  const rows: Row[] = series.map((each, index) => ({ series: each, index }));
  if (shown === 0) return rows;
  // One that would be left alone is shown.
  const count = others.length - shown <= 1 ? others.length : shown;
  const rest = others.slice(count);
  rows.push(...others.slice(0, count).map((each) => ({ series: each })));
  if (rest.length > 0) {
    rows.push({ series: added(rest, days, `${rest.length} more ${grouping}s`), isRest: true });
  }
  return rows;
}

function columnsOf(report: Report, grouping: Grouping, budgets: Map<string, number>): Column<Row>[] {
  const number = (head: string, text: (total: Totals) => string, ranks?: Measure): Column<Row> => ({
    head,
    class: "number",
    sorted: report.measure === ranks && "descending",
    cell: ({ series }) => text(series.total),
  });
  return [
    number("Runs", ({ runs }) => formatNumber(runs), "runs"),
    number("Errors", ({ errors }) => formatNumber(errors), "errors"),
    number("Tokens", (total) => formatNumber(tokensOf(total)), "tokens"),
    number("From cache", (total) => percent(cachedShare(total))),
    number("Cost", (total) => costText(total, 2), "dollars"),
    number("Per run", perRun),
    { head: `Share of ${measureNames[report.measure]}`, cell: (row) => <Share {...{ row, report, grouping }} /> },
    ...(budgets.size > 0 && grouping === "agent"
      ? [{ head: "Budget today", cell: ({ series }: Row) => <Budget series={series} budgets={budgets} /> }]
      : []),
  ];
}

const measureNames = { dollars: "cost", tokens: "tokens", runs: "runs", errors: "errors" };

interface OthersButtonProps {
  series: Series;
  isOpen: boolean;
  onClick: () => void;
}

function OthersButton({ series, isOpen, onClick }: OthersButtonProps) {
  return (
    <button type="button" class="others" aria-expanded={isOpen} onClick={onClick}>
      <b>{series.name}</b>
      <Icon name={isOpen ? "up" : "down"} />
    </button>
  );
}

function SeriesName({ series: { id, name }, grouping }: { series: Series; grouping: Grouping }) {
  if (id === null) return <span class="muted">{name}</span>;
  if (grouping === "model") return <span class="mono">{name}</span>;
  return (
    <a class="row-link cut" href={pageUrl(`agents/${id}`)} title={name}>
      <bdi>{name}</bdi>
    </a>
  );
}

function perRun(total: Totals): string {
  if (total.unpricedTokens > 0) return "not known";
  return total.runs === 0 ? "–" : formatDollars(total.dollars / total.runs, 3);
}

/** What the row has of the whole. Without a price, a link to set one. */
function Share({ row, report, grouping }: { row: Row; report: Report; grouping: Grouping }) {
  const { series, index } = row;
  const share = shareOf(series, report);
  if (share === undefined) {
    const isAgent = grouping === "agent" && series.id != null && series.total.unpricedTokens > 0;
    return isAgent ? <a href={pageUrl(`agents/${series.id}`, { tab: "edit" })}>Set prices</a> : <>–</>;
  }
  return (
    <span class={`share s${(index ?? 4) + 1}`}>
      <i ref={(element) => element?.style.setProperty("--share", `${share * 100}%`)} />
      <span class="number">{percent(share)}</span>
    </span>
  );
}

function Budget({ series, budgets }: { series: Series; budgets: Map<string, number> }) {
  const budget = budgets.get(series.id ?? "");
  if (budget === undefined) return <span class="muted">{series.id === undefined ? "–" : "none"}</span>;
  return <BudgetBar spent={series.days.at(-1)?.dollars ?? 0} budget={budget} badge />;
}

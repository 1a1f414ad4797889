import type { ComponentChildren } from "preact";
import { formatDollars, formatNumber } from "../format.ts";
import { costText } from "../state/cost.ts";
import { BarChart } from "./chart/bar-chart.tsx";
import { shortDay } from "./days.ts";
import { measured, type Measure, type Report, sum, type Totals } from "./report.ts";
import { axisDollars, axisNumber } from "./words.ts";

interface ChartKind {
  title: string;
  formatAxis: (value: number) => string;
  /** Exact, and the value of several series. */
  format: (value: number) => string;
  sum: (totals: Totals, digits?: number) => string;
  whole: boolean;
}

const numbers = { formatAxis: axisNumber, format: formatNumber, whole: true };
const kinds: Record<Measure, ChartKind> = {
  dollars: { title: "Cost per day", formatAxis: axisDollars, format: formatDollars, sum: costText, whole: false },
  tokens: { title: "Tokens per day", ...numbers, sum: (totals) => formatNumber(measured(totals, "tokens")) },
  errors: { title: "Technical errors per day", ...numbers, sum: (totals) => formatNumber(totals.errors) },
  runs: { title: "Runs per day", ...numbers, sum: (totals) => formatNumber(totals.runs) },
};
const measures: Measure[] = ["dollars", "tokens", "runs"];

/** What series are ranked by over the whole width, and below it two others. Cost has the budget. */
export function Charts({ report, budget }: { report: Report; budget: number | undefined }) {
  return (
    <>
      <ChartPanel report={report} measure={report.measure} budget={budget}>
        <Legend report={report} />
      </ChartPanel>
      <div class="chart-pair">
        {measures
          .filter((measure) => measure !== report.measure)
          .slice(0, 2)
          .map((measure) => (
            <ChartPanel key={measure} report={report} measure={measure} budget={budget} />
          ))}
      </div>
    </>
  );
}

function Legend({ report }: { report: Report }) {
  return (
    <ul class="legend" aria-label="Series">
      {report.series.map(({ name }, index) => (
        <li key={index} title={name}>
          <i class={`swatch s${index + 1}`} />
          <bdi class="cut">{name}</bdi>
        </li>
      ))}
    </ul>
  );
}

interface ChartPanelProps {
  report: Report;
  measure: Measure;
  budget: number | undefined;
  children?: ComponentChildren;
}

function ChartPanel({ report, measure, budget, children }: ChartPanelProps) {
  const { title, formatAxis, format, sum: text, whole } = kinds[measure];
  const line = measure === "dollars" ? budget : undefined;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{title}</h2>
        {children}
        <span class="muted end">{text(report.total, 2)}</span>
      </header>
      <BarChart
        title={title}
        days={report.days}
        series={report.series.map(({ name, days }) => ({ name, values: days.map((day) => measured(day, measure)) }))}
        formatAxis={formatAxis}
        format={(each) => format(each)}
        formatSum={(day) => text(sum(report.series.flatMap(({ days }) => days[day] ?? [])))}
        formatDay={shortDay}
        whole={whole}
        budget={line === undefined ? undefined : { value: line, label: `budget ${formatDollars(line, 2)} a day` }}
      />
    </section>
  );
}

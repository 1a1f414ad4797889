import { formatDollars, formatNumber } from "../format.ts";
import { BarChart } from "./chart/bar-chart.tsx";
import { shortDay } from "./days.ts";
import { type Report, type Totals, tokensOf } from "./report.ts";
import { axisDollars, axisNumber } from "./words.ts";

interface ChartPanelProps {
  report: Report;
  title: string;
  value: (totals: Totals) => number;
  /** For the axis, and for exact numbers. */
  formats: [(value: number) => string, (value: number) => string];
  budget?: number | undefined;
  whole?: boolean;
}

/** Cost over the whole width, with the budget; below it runs and tokens. */
export function Charts({ report, budget }: { report: Report; budget: number | undefined }) {
  return (
    <>
      <ul class="legend" aria-label="Series">
        {report.series.map(({ name }, index) => (
          <li key={index}>
            <i class={`swatch s${index + 1}`} />
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
      <ChartPanel
        report={report}
        title="Cost per day"
        value={({ dollars }) => dollars}
        formats={[axisDollars, formatDollars]}
        budget={budget}
      />
      <div class="chart-pair">
        <ChartPanel
          report={report}
          title="Runs per day"
          value={({ runs }) => runs}
          formats={[axisNumber, formatNumber]}
          whole
        />
        <ChartPanel
          report={report}
          title="Tokens per day"
          value={tokensOf}
          formats={[axisNumber, formatNumber]}
          whole
        />
      </div>
    </>
  );
}

function ChartPanel({ report, title, value, formats: [axis, exact], budget, whole = false }: ChartPanelProps) {
  const sum = value(report.total);
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{title}</h2>
        <span class="muted end">{axis === axisDollars ? formatDollars(sum, 2) : exact(sum)}</span>
      </header>
      <BarChart
        title={title}
        days={report.days}
        series={report.series.map(({ name, days }) => ({ name, values: days.map(value) }))}
        formatAxis={axis}
        format={(each) => exact(each)}
        formatDay={shortDay}
        whole={whole}
        budget={budget === undefined ? undefined : { value: budget, label: `budget ${formatDollars(budget, 2)} a day` }}
      />
    </section>
  );
}

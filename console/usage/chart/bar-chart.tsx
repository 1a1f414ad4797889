import { useState } from "preact/hooks";
import { ChartGrid } from "./chart-grid.tsx";
import { DayTip } from "./day-tip.tsx";
import { labelledBars, scaleFor, stacked } from "./scale.ts";
import { useWidth } from "./use-width.ts";

export interface BarChartProps {
  /** What the bars count, for the chart's name: "Cost per day". */
  title: string;
  /** Days as `2026-11-22`, oldest first. The last one is today. */
  days: string[];
  series: { name: string; values: number[] }[];
  /** A value of the axis, in a few characters. */
  formatAxis: (value: number) => string;
  /** A value of a day, exact. */
  format: (value: number) => string;
  /** The sum of a day, by its index. */
  formatSum: (day: number) => string;
  /** Formats the name of a day. */
  formatDay: (day: string) => string;
  /** A dashed line with its label. */
  budget?: { value: number; label: string } | undefined;
  whole?: boolean;
}

/** Space around the bars: labels of the axes. */
const margin = { top: 14, right: 4, bottom: 24, left: 46 };
const height = 205;

/** Width that the label of a day takes. */
const labelWidth = 64;

/** Stacked bars per day. Arrow keys and the pointer show the numbers of a day; a table has all of them. */
export function BarChart({ title, days, ...props }: BarChartProps) {
  const { series, formatAxis, format, formatSum, formatDay, budget, whole = false } = props;
  const [element, width] = useWidth();
  const [shown, setShown] = useState<number>();
  const sums = days.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0));
  const scale = scaleFor(Math.max(...sums, budget?.value ?? 0), { whole });
  const inner = { width: Math.max(1, width - margin.left - margin.right), height: height - margin.top - margin.bottom };
  const slot = inner.width / days.length;
  const bar = Math.max(2, Math.min(64, slot * 0.66));
  const y = (value: number): number => margin.top + inner.height * (1 - value / scale.max);
  const x = (day: number): number => margin.left + slot * (day + 0.5);
  const labels = labelledBars(days.length, slot, labelWidth);

  return (
    <div
      ref={element}
      class="chart"
      role="group"
      aria-label={`${title}. Arrow keys show a day; the table below has the numbers.`}
      tabIndex={0}
      onPointerMove={({ clientX, currentTarget }) => {
        const day = Math.floor((clientX - currentTarget.getBoundingClientRect().left - margin.left) / slot);
        setShown(day >= 0 && day < days.length ? day : undefined);
      }}
      onPointerLeave={() => setShown(undefined)}
      onBlur={() => setShown(undefined)}
      onKeyDown={(event) => {
        const next = dayAfterKey(event.key, shown, days.length);
        if (next === "none") return;
        event.preventDefault();
        setShown(next);
      }}
    >
      {width > 0 && (
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          <ChartGrid ticks={scale.ticks} y={y} left={margin.left} right={width - margin.right} format={formatAxis} />
          {days.map((day, index) => (
            <g key={day} class={index === days.length - 1 ? "bar today" : "bar"}>
              {shown === index && (
                <rect class="bar-slot" x={x(index) - slot / 2} y={margin.top} width={slot} height={inner.height} />
              )}
              {stacked(series.map(({ values }) => values[index] ?? 0)).map(({ series: of, from, to }) => (
                <rect
                  key={of}
                  class={`s${of + 1}`}
                  x={x(index) - bar / 2}
                  y={y(to)}
                  width={bar}
                  height={Math.max(0.5, y(from) - y(to) - (y(from) - y(to) > 2 ? 1 : 0))}
                />
              ))}
              {labels.has(index) && (
                <text
                  x={index === days.length - 1 ? Math.min(x(index), width - 20) : x(index)}
                  y={height - 6}
                  text-anchor="middle"
                >
                  {index === days.length - 1 ? "today" : formatDay(day)}
                </text>
              )}
            </g>
          ))}
          {budget && (
            <g class="budget">
              <line x1={margin.left} x2={width - margin.right} y1={y(budget.value)} y2={y(budget.value)} />
              <text x={margin.left + 4} y={y(budget.value) - 6}>
                {budget.label}
              </text>
            </g>
          )}
        </svg>
      )}
      {shown !== undefined && (
        <DayTip
          title={shown === days.length - 1 ? `today, ${formatDay(days[shown] ?? "")}` : formatDay(days[shown] ?? "")}
          rows={series.map(({ name, values }) => ({ name, value: values[shown] ?? 0 }))}
          total={formatSum(shown)}
          format={format}
          position={x(shown) / Math.max(1, width)}
        />
      )}
    </div>
  );
}

/** The day that a key shows. "none": the key is not one of the chart. */
function dayAfterKey(key: string, shown: number | undefined, count: number): number | undefined | "none" {
  if (key === "ArrowLeft") return Math.max(0, (shown ?? count) - 1);
  if (key === "ArrowRight") return Math.min(count - 1, (shown ?? count - 2) + 1);
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return key === "Escape" && shown !== undefined ? undefined : "none";
}

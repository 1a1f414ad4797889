interface ChartGridProps {
  ticks: number[];
  y: (value: number) => number;
  left: number;
  right: number;
  format: (value: number) => string;
}

/** The grid lines with their values. */
export function ChartGrid({ ticks, y, left, right, format }: ChartGridProps) {
  return (
    <g class="chart-grid">
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={left} x2={right} y1={Math.round(y(tick)) + 0.5} y2={Math.round(y(tick)) + 0.5} />
          <text x={left - 8} y={y(tick) + 4} text-anchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
    </g>
  );
}

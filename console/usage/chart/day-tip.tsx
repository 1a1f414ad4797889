interface DayTipProps {
  title: string;
  rows: { name: string; value: number }[];
  total: string;
  format: (value: number) => string;
  /** Where the day is: 0 is the left edge, 1 the right one. */
  position: number;
}

/** The numbers of one day. */
export function DayTip({ title, rows, total, format, position }: DayTipProps) {
  return (
    <div
      class={position > 0.6 ? "chart-tip at-left" : "chart-tip"}
      role="status"
      ref={(element) => element?.style.setProperty("--x", `${position * 100}%`)}
    >
      <p>
        <strong>{title}</strong> <span>{total}</span>
      </p>
      {rows.map(({ name, value }, index) =>
        value > 0 ? (
          <p key={index}>
            <i class={`swatch s${index + 1}`} /> <bdi>{name}</bdi> <span>{format(value)}</span>
          </p>
        ) : null,
      )}
    </div>
  );
}

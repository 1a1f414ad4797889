import { useState } from "preact/hooks";
import type { Point } from "../model/run-model-types.ts";
import { chart, pointAt, stairsOf } from "./stairs.ts";

/** A part of the total. */
export interface ChartPart {
  name: string;
  /** Its colour. */
  class: string;
  /** Its amount after a step. */
  of: (point: Point) => number;
}

interface Props {
  title: string;
  total: string;
  points: Point[];
  /** The run has several turns: steps are named with theirs. */
  several: boolean;
  parts: ChartPart[];
  limit: number | undefined;
  format: (amount: number) => string;
}

/** A total that rises with each step, against its limit. Under the pointer, a step has its amounts. */
export function StairsChart({ title, total, points, several, parts, limit, format }: Props) {
  const [pointed, setPointed] = useState<number>();
  const stairs = stairsOf(
    points,
    parts.map(({ of }) => of),
    limit,
  );
  const ofLimit = limit === undefined ? "" : ` of ${format(limit)}`;
  const point = pointed === undefined ? undefined : pointAt(points, pointed);
  const mark = point && ((points.indexOf(point) + 0.5) / points.length) * chart.width;
  return (
    <figure class="run-chart">
      <figcaption>
        <strong>{title}</strong>{" "}
        <span>{point ? amountsAt(point, { several, parts, format }) : `${total}${ofLimit}`}</span>
      </figcaption>
      <div class="run-chart-plot">
        {stairs.grid.map(({ amount, at }) => (
          <span class="run-chart-amount" style={{ top: percent(at) }}>
            {format(amount)}
          </span>
        ))}
        <svg
          viewBox={`0 0 ${chart.width} ${chart.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}: ${total}${ofLimit} after ${points.length} model calls`}
          onPointerMove={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            setPointed((event.clientX - box.left) / box.width);
          }}
          onPointerLeave={() => setPointed(undefined)}
        >
          {stairs.grid.map(({ at }) => (
            <path class="grid" d={`M0 ${at.toFixed(1)}H${chart.width}`} />
          ))}
          {/* The lowest part is drawn last: each area begins at 0. */}
          {parts.map((part, index) => <path class={part.class} d={stairs.areas[index]} />).toReversed()}
          <path class="line" d={stairs.line} />
          {stairs.limitAt !== undefined && <path class="limit" d={`M0 ${stairs.limitAt.toFixed(1)}H${chart.width}`} />}
          {mark !== undefined && <path class="mark" d={`M${mark.toFixed(1)} 0V${chart.height}`} />}
        </svg>
        {stairs.limitAt !== undefined && limit !== undefined && (
          <span class="run-chart-limit" style={{ top: percent(stairs.limitAt) }}>
            limit {format(limit)}
          </span>
        )}
      </div>
      {parts.length > 1 && (
        <p class="run-chart-parts">
          {parts.map(({ name, class: color }) => (
            <span class={color}>{name}</span>
          ))}
        </p>
      )}
    </figure>
  );
}

/** "After step 2.3: $0.061" */
function amountsAt(point: Point, { several, parts, format }: Pick<Props, "several" | "parts" | "format">): string {
  const place = several ? `${point.turn}.${point.step}` : String(point.step);
  const amounts = parts.map(({ name, of }) => (parts.length > 1 ? `${format(of(point))} ${name}` : format(of(point))));
  return `After step ${place}: ${amounts.join(", ")}`;
}

function percent(at: number): string {
  return `${(at / chart.height) * 100}%`;
}

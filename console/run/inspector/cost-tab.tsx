import { useState } from "preact/hooks";
import { formatDollars, formatNumber } from "../../format.ts";
import { type Column, Rows } from "../../ui/rows.tsx";
import type { Limits, RunDetail } from "../api.ts";
import type { Point } from "../model/run-model-types.ts";
import type { RunView } from "../view.ts";
import { type ChartPart, StairsChart } from "./stairs-chart.tsx";

/** Steps of the table at first, and that each click adds. */
const pageSize = 50;

/** What the tokens are, the cheapest at the bottom. */
const tokenParts: ChartPart[] = [
  { name: "from cache", class: "part-2", of: ({ cached }) => cached },
  { name: "input", class: "part-1", of: ({ input }) => input },
  { name: "output", class: "part-3", of: ({ output }) => output },
];

/** Cost and tokens over the steps of the run, against its limits. */
export function CostTab({ view, detail }: { view: RunView; detail: RunDetail }) {
  void view.version.value;
  const { points } = view.model;
  const last = points.at(-1);
  if (!last) return <p class="run-empty">No model call has ended yet.</p>;
  const limits: Partial<Limits> = detail.limits.run ?? {};
  const several = view.model.turns.length > 1;
  const priced = points.some(({ dollars }) => dollars > 0);
  return (
    <>
      {detail.chosen && <p class="run-callout">The create of the run chose {chosenText(detail.chosen)}.</p>}
      {priced ? (
        <StairsChart
          title="Cost of the run"
          total={costUntil(last)}
          points={points}
          several={several}
          parts={[{ name: "Cost", class: "part-1", of: ({ dollars }) => dollars }]}
          limit={limits.dollars}
          format={(amount) => formatDollars(amount)}
        />
      ) : (
        <p class="run-callout">
          Cost is not recorded: the agent has no prices. Set them in the agent to see dollars here.
        </p>
      )}
      <StairsChart
        title="Tokens of the run"
        total={formatNumber(last.tokens)}
        points={points}
        several={several}
        parts={tokenParts}
        limit={limits.tokens}
        format={formatNumber}
      />
      <StepTable points={points} view={view} priced={priced} />
    </>
  );
}

/** "the model fast, at most 20 steps (turn), 0.5 dollars (run)" */
function chosenText({ model, limits }: NonNullable<RunDetail["chosen"]>): string {
  const scopes = Object.entries(limits) as [string, Partial<Limits>][];
  const most = scopes.flatMap(([scope, of]) =>
    Object.entries(of).map(([name, limit]) => `${limit} ${name} (${scope})`),
  );
  const parts = [
    ...(model === null ? [] : [`the model ${model}`]),
    ...(most.length > 0 ? [`at most ${most.join(", ")}`] : []),
  ];
  return parts.join(", ");
}

function costUntil({ dollars, priced }: Point): string {
  return `${priced ? "" : "at least "}${formatDollars(dollars)}`;
}

/** A model call, and the one before it. */
interface StepRow {
  point: Point;
  before: Point | undefined;
}

const tokens: Column<StepRow> = {
  head: "Tokens",
  class: "number",
  cell: ({ point, before }) => formatNumber(point.tokens - (before?.tokens ?? 0)),
};
const cost: Column<StepRow> = {
  head: "Cost",
  class: "number",
  cell: ({ point: { stepDollars } }) => (stepDollars === null ? "not recorded" : formatDollars(stepDollars, 4)),
};
const tokensSoFar: Column<StepRow> = {
  head: "Tokens so far",
  class: "number",
  cell: ({ point }) => formatNumber(point.tokens),
};
const costSoFar: Column<StepRow> = { head: "Cost so far", class: "number", cell: ({ point }) => costUntil(point) };

/** The model calls, newest first. */
function StepTable({ points, view, priced }: { points: Point[]; view: RunView; priced: boolean }) {
  const [shown, setShown] = useState(pageSize);
  const from = Math.max(0, points.length - shown);
  const rows = points.map((point, index) => ({ point, before: points[index - 1] })).slice(from);
  return (
    <div class="run-table-box">
      <Rows
        class="run-table"
        columns={[
          {
            head: "Step",
            isName: true,
            cell: ({ point: { turn, step } }) => (
              <button type="button" class="link" onClick={() => view.select({ turn, step })}>
                {view.model.turns.length > 1 ? `${turn}.${step}` : step}
              </button>
            ),
          },
          tokens,
          priced && cost,
          tokensSoFar,
          priced && costSoFar,
        ]}
        rows={rows.toReversed()}
      />
      {from > 0 && (
        <p>
          <button type="button" class="button small" onClick={() => setShown(shown + pageSize)}>
            Show {Math.min(pageSize, from)} earlier
          </button>
        </p>
      )}
    </div>
  );
}

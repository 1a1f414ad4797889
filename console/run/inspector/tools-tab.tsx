import { formatDuration, formatNumber } from "../../format.ts";
import { Rows } from "../../ui/rows.tsx";
import { median } from "../model/tool-totals.ts";
import type { ToolTotal } from "../model/run-model-types.ts";
import { ToolName } from "../text/tool-name.tsx";
import type { RunView } from "../view.ts";

/** What the calls of each tool took. A row jumps to its first call. */
export function ToolsTab({ view }: { view: RunView }) {
  void view.version.value;
  const totals = [...view.model.tools.values()].toSorted((a, b) => b.milliseconds - a.milliseconds);
  if (totals.length === 0) return <p class="run-empty">No tool call has ended yet.</p>;
  return (
    <div class="run-table-box">
      <Rows
        class="run-table"
        columns={[
          {
            head: "Tool",
            isName: true,
            cell: ({ name, first: { turn, step, index } }) => (
              <button
                type="button"
                class="link"
                title="Go to its first call"
                onClick={() => view.select({ turn, step, call: index })}
              >
                <ToolName name={name} />
              </button>
            ),
          },
          { head: "Calls", class: "number", cell: ({ calls }) => formatNumber(calls) },
          {
            head: "Failed",
            class: "number",
            cell: ({ failed }) => formatNumber(failed),
            cellClass: ({ failed }) => (failed > 0 ? "bad" : "muted"),
          },
          { head: "Median", class: "number", cell: (total) => medianText(total) },
          {
            head: "Slowest",
            class: "number",
            cell: (total) => median(total) !== undefined && formatDuration(total.slowest),
          },
          {
            head: "Total",
            class: "number",
            cell: (total) => median(total) !== undefined && formatDuration(total.milliseconds),
          },
        ]}
        rows={totals.slice(0, 100)}
      />
    </div>
  );
}

function medianText(total: ToolTotal): string {
  const middle = median(total);
  return middle === undefined ? "not recorded" : formatDuration(middle);
}

import { formatDuration, formatNumber } from "../../format.ts";
import { NumbersTable } from "../../ui/numbers-table.tsx";
import { median } from "../model/tool-totals.ts";
import type { ToolTotal } from "../model/types.ts";
import { ToolName } from "../text/tool-name.tsx";
import type { RunView } from "../view.ts";

/** What the calls of each tool took. A row jumps to its first call. */
export function ToolsTab({ view }: { view: RunView }) {
  void view.version.value;
  const totals = [...view.model.tools.values()].toSorted((a, b) => b.milliseconds - a.milliseconds);
  if (totals.length === 0) return <p class="run-empty">No tool call has ended yet.</p>;
  return (
    <div class="run-table-box">
      <NumbersTable
        class="run-table"
        head="Tool"
        of={({ name, first: { turn, step, index } }) => (
          <button
            type="button"
            class="link"
            title="Go to its first call"
            onClick={() => view.select({ turn, step, call: index })}
          >
            <ToolName name={name} />
          </button>
        )}
        columns={[
          { name: "Calls", of: ({ calls }) => formatNumber(calls) },
          {
            name: "Failed",
            of: ({ failed }) => formatNumber(failed),
            class: ({ failed }) => (failed > 0 ? "bad" : "muted"),
          },
          { name: "Median", of: (total) => medianText(total) },
          { name: "Slowest", of: (total) => median(total) !== undefined && formatDuration(total.slowest) },
          { name: "Total", of: (total) => median(total) !== undefined && formatDuration(total.milliseconds) },
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

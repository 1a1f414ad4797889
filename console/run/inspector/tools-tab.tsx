import { formatDuration, formatNumber } from "../../format.ts";
import { median } from "../model/tool-totals.ts";
import { visibleLine } from "../text/visible.ts";
import type { RunView } from "../view.ts";

/** What the calls of each tool took. A row jumps to its first call. */
export function ToolsTab({ view }: { view: RunView }) {
  void view.version.value;
  const totals = [...view.model.tools.values()].toSorted((a, b) => b.milliseconds - a.milliseconds);
  if (totals.length === 0) return <p class="run-empty">No tool call has ended yet.</p>;
  return (
    <div class="run-table-box">
      <table class="run-table">
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">Calls</th>
            <th scope="col">Failed</th>
            <th scope="col">Median</th>
            <th scope="col">Slowest</th>
            <th scope="col">Total</th>
          </tr>
        </thead>
        <tbody>
          {totals.slice(0, 100).map((total) => {
            const middle = median(total);
            const { turn, step, index } = total.first;
            return (
              <tr>
                <th scope="row">
                  <button
                    type="button"
                    class="link mono"
                    title="Go to its first call"
                    onClick={() => view.select({ turn, step, call: index })}
                  >
                    <bdi>{visibleLine(total.name, 80)}</bdi>
                  </button>
                </th>
                <td>{formatNumber(total.calls)}</td>
                <td class={total.failed > 0 ? "bad" : "muted"}>{formatNumber(total.failed)}</td>
                <td>{middle === undefined ? "not recorded" : formatDuration(middle)}</td>
                <td>{middle === undefined ? "" : formatDuration(total.slowest)}</td>
                <td>{middle === undefined ? "" : formatDuration(total.milliseconds)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

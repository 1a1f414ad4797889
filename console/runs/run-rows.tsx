import { Fragment } from "preact";
import type { Run } from "../api/types.ts";
import { formatDollars, formatElapsed, formatNumber } from "../format.ts";
import { endedAtLimit, starterText } from "../run-words.ts";
import { costOf } from "../state/cost.ts";
import { Icon } from "../ui/icon.tsx";
import { Status } from "../ui/status.tsx";
import { RelativeTime, useKnownNow } from "../ui/time.tsx";
import { activityText, workedMs } from "./activity.ts";
import { FailurePanel } from "./failure-panel.tsx";
import type { Order } from "./filters.ts";

interface RunRowsProps {
  runs: Run[];
  sort: Order;
  onSort: (order: Order) => void;
  /** Ids of runs that no longer match the filters. */
  stale: ReadonlySet<string>;
  /** Id of the run whose row has the list's tab stop. */
  current: string | undefined;
  /** Ids of runs whose failure is shown. */
  open: ReadonlySet<string>;
  onFocus: (id: string) => void;
  onToggle: (id: string) => void;
  onOpen: (id: string, inNewTab: boolean) => void;
}

/** The columns that the list can be sorted by. */
const columns: [Order, string][] = [
  ["steps", "Steps"],
  ["tokens", "Tokens"],
  ["dollars", "Cost"],
  ["duration", "Duration"],
  ["created", "Started"],
];

/** Rows of the list of runs: one per run, and one below for a failure that is shown. */
export function RunRows({ runs, sort, onSort, stale, current, open, onFocus, onToggle, onOpen }: RunRowsProps) {
  const now = useKnownNow();
  return (
    <table class="table runs-table">
      <thead>
        <tr>
          <th class="toggle">
            <span class="visually-hidden">Failure</span>
          </th>
          <th>Status</th>
          <th>Run</th>
          <th>Agent</th>
          <th class="starter">Started by</th>
          {columns.map(([order, name]) => (
            <th key={order} class="number" aria-sort={order === sort ? "descending" : undefined}>
              <button type="button" onClick={() => onSort(order)}>
                {name}
                {order === sort && " ↓"}
              </button>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <Fragment key={run.id}>
            <tr
              class={stale.has(run.id) ? "stale" : ""}
              data-row={run.id}
              tabIndex={run.id === current ? 0 : -1}
              onFocus={() => onFocus(run.id)}
              onClick={(event) => {
                if (!(event.target as Element).closest("button, a")) onOpen(run.id, event.metaKey || event.ctrlKey);
              }}
            >
              <Cells run={run} now={now} isOpen={open.has(run.id)} onToggle={() => onToggle(run.id)} />
            </tr>
            {open.has(run.id) && run.state === "technical_error" && (
              <tr class="detail">
                <td />
                <td colSpan={9}>
                  <FailurePanel run={run} />
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

function Cells({ run, now, isOpen, onToggle }: { run: Run; now: number; isOpen: boolean; onToggle: () => void }) {
  const { id, name, state, status, usage } = run;
  const worked = workedMs(run, now);
  const { dollars, unpricedTokens } = costOf(usage);
  const live = status === "running";
  const estimate = usage.estimated_tokens > 0 ? "~" : "";
  return (
    <>
      <td class="toggle">
        {state === "technical_error" && (
          <button type="button" aria-expanded={isOpen} aria-label="Show error" onClick={onToggle}>
            <Icon name={isOpen ? "down" : "right"} />
          </button>
        )}
      </td>
      <td class="state">
        <Status state={state} wire={status} />
      </td>
      <td class="run">
        <div>
          <a href={`/console/runs/${id}`}>
            <bdi>{name || "deleted run"}</bdi>
          </a>
          {run.imported_from && <span class="badge">imported</span>}
          {live ? (
            <span class={state === "waiting" ? "muted" : "doing"}>{activityText(run, now)}</span>
          ) : (
            <bdi class="muted">
              {run.failure?.title ?? run.input_excerpt ?? (run.turn === 0 ? "Created without input" : "")}
            </bdi>
          )}
        </div>
      </td>
      <td class="agent">
        <bdi>{run.agent_name ?? "not recorded"}</bdi>
      </td>
      <td class="starter muted">{run.started_by && <bdi>{starterText(run.started_by)}</bdi>}</td>
      <td class="number steps">
        {endedAtLimit(run) && <span class="badge warn">limit</span>} {usage.steps || "–"}
      </td>
      <td class="number tokens">
        {estimate}
        {formatNumber(usage.input_tokens + usage.output_tokens)}
      </td>
      <td class="number cost">{unpricedTokens > 0 ? "–" : `${estimate}${formatDollars(dollars)}`}</td>
      <td class="number duration">{worked === undefined ? "–" : formatElapsed(worked, live && state !== "waiting")}</td>
      <td class="number muted started">
        <RelativeTime at={run.created_at} />
      </td>
    </>
  );
}

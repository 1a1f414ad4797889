import type { Run } from "../api/types.ts";
import { formatDollars, formatElapsed, formatNumber } from "../format.ts";
import { endedAtLimit, starterText } from "../run-words.ts";
import { costOf } from "../state/cost.ts";
import { Icon } from "../ui/icon.tsx";
import { Rows } from "../ui/rows.tsx";
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

/** Rows of the list of runs: one per run, and one below for a failure that is shown. */
export function RunRows({ runs, sort, onSort, stale, current, open, onFocus, onToggle, onOpen }: RunRowsProps) {
  const now = useKnownNow();
  const sortable = (order: Order, head: string) => ({
    head,
    sorted: order === sort && ("descending" as const),
    onSort: () => onSort(order),
  });
  return (
    <Rows
      class="table fixed cards runs-table"
      rows={runs}
      keyOf={({ id }) => id}
      rowProps={({ id }) => ({
        class: stale.has(id) ? "stale" : "",
        "data-row": id,
        tabIndex: id === current ? 0 : -1,
        onFocus: () => onFocus(id),
        onClick: (event) => {
          if (!(event.target as Element).closest("button, a")) onOpen(id, event.metaKey || event.ctrlKey);
        },
      })}
      below={(run) => open.has(run.id) && run.state === "technical_error" && <FailurePanel run={run} />}
      columns={[
        {
          head: <span class="visually-hidden">Failure</span>,
          class: "toggle",
          cell: ({ id, state }) =>
            state === "technical_error" && (
              <button type="button" aria-expanded={open.has(id)} aria-label="Show error" onClick={() => onToggle(id)}>
                <Icon name={open.has(id) ? "down" : "right"} />
              </button>
            ),
        },
        { head: "Status", class: "state", cell: ({ state, status }) => <Status state={state} wire={status} /> },
        { head: "Run", class: "run", cell: (run) => <RunCell run={run} now={now} /> },
        { head: "Agent", class: "agent", cell: ({ agent_name }) => <bdi>{agent_name ?? "not recorded"}</bdi> },
        {
          head: "Started by",
          class: "starter",
          cellClass: "muted",
          cell: ({ started_by }) => started_by && <bdi>{starterText(started_by)}</bdi>,
        },
        {
          ...sortable("steps", "Steps"),
          class: "number steps",
          cell: (run) => (
            <>
              {endedAtLimit(run) && <span class="badge warn">limit</span>} {run.usage.steps || "–"}
            </>
          ),
        },
        {
          ...sortable("tokens", "Tokens"),
          class: "number tokens",
          cell: ({ usage }) => estimate(usage) + formatNumber(usage.input_tokens + usage.output_tokens),
        },
        {
          ...sortable("dollars", "Cost"),
          class: "number cost",
          cell: ({ usage }) => {
            const { dollars, unpricedTokens } = costOf(usage);
            return unpricedTokens > 0 ? "–" : estimate(usage) + formatDollars(dollars);
          },
        },
        {
          ...sortable("duration", "Duration"),
          class: "number duration",
          cell: (run) => {
            const worked = workedMs(run, now);
            const isWorking = run.status === "running" && run.state !== "waiting";
            return worked === undefined ? "–" : formatElapsed(worked, isWorking);
          },
        },
        {
          ...sortable("created", "Started"),
          class: "number started",
          cellClass: "muted",
          cell: ({ created_at }) => <RelativeTime at={created_at} />,
        },
      ]}
    />
  );
}

const estimate = ({ estimated_tokens }: Run["usage"]): string => (estimated_tokens > 0 ? "~" : "");

function RunCell({ run, now }: { run: Run; now: number }) {
  return (
    <div>
      <a class="cut" href={`/console/runs/${run.id}`}>
        <bdi>{run.name || "deleted run"}</bdi>
      </a>
      {run.imported_from && <span class="badge">imported</span>}
      {run.status === "running" ? (
        <span class={run.state === "waiting" ? "muted cut" : "doing cut"}>{activityText(run, now)}</span>
      ) : (
        <bdi class="muted cut">
          {run.failure?.title ?? run.input_excerpt ?? (run.turn === 0 ? "Created without input" : "")}
        </bdi>
      )}
    </div>
  );
}

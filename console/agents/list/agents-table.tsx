import { formatNumber } from "../../format.ts";
import { costOf, costText } from "../../state/cost.ts";
import { organization, organizationNames, organizations } from "../../state/organization.ts";
import { pageUrl, useQuery } from "../../state/url.ts";
import { useRows } from "../../state/use-rows.ts";
import { Icon } from "../../ui/icon.tsx";
import { Rows } from "../../ui/rows.tsx";
import { RelativeTime, useKnownNow } from "../../ui/time.tsx";
import {
  type ActivityReport,
  type AgentRow,
  errorShare,
  isAlarming,
  lastRunText,
  type Order,
  runsOf,
  shareText,
} from "./activity.ts";
import { RunsBars } from "./runs-bars.tsx";

interface AgentsTableProps {
  rows: AgentRow[];
  /** Undefined: it is being read, or could not be. */
  report: ActivityReport | undefined;
  order: Order;
  /** Names that several agents have: their ids tell them apart. */
  ambiguous: ReadonlySet<string>;
}

/** Agents with what they did in the last 24 hours. A click on a head sorts. */
export function AgentsTable({ rows, report, order, ambiguous }: AgentsTableProps) {
  const [, setQuery] = useQuery();
  const now = useKnownNow();
  const hasSeveralOrganizations = !organization.value && (organizations.value?.length ?? 0) > 1;
  const url = (index: number): string => pageUrl(`agents/${rows[index]?.agent.id}`);
  const row = useRows("Agents", rows.length, url);
  const sortable = (head: string, by: Order) => ({
    head,
    class: by === "name" ? by : `number ${by}`,
    sorted: by === order && (by === "name" ? ("ascending" as const) : ("descending" as const)),
    onSort: () => setQuery({ sort: by === "last" ? undefined : by }),
  });
  const none = report && "–";
  return (
    <div class="panel">
      <Rows
        class="table rows fixed cards agents-table"
        rows={rows}
        keyOf={({ agent }) => agent.id}
        rowProps={(_, index) => row(index)}
        columns={[
          {
            ...sortable("Agent", "name"),
            title: ({ agent }) => agent.name,
            cell: ({ agent, activity }, index) => (
              <div>
                <a class="row-link cut" href={url(index)}>
                  <bdi>{agent.name}</bdi>
                </a>
                {ambiguous.has(agent.name) && <span class="mono muted">{agent.id.slice(0, 8)}</span>}
                {activity !== undefined && activity.running > 0 && (
                  <span class="status running">
                    <Icon name="running" class="spin" />
                    {formatNumber(activity.running)} running
                  </span>
                )}
              </div>
            ),
          },
          hasSeveralOrganizations && {
            head: "Organization",
            class: "organization",
            cell: ({ agent }) => <bdi>{organizationNames.value.get(agent.organization_id)}</bdi>,
          },
          {
            head: "Model",
            class: "model",
            title: ({ agent }) => agent.model ?? undefined,
            cell: ({ agent }) => (agent.model === null ? <NoModel /> : <span class="mono">{agent.model}</span>),
          },
          { head: "Version", class: "number version", cell: ({ agent }) => agent.version ?? "not recorded" },
          {
            ...sortable("Runs, 24 h", "runs"),
            cell: ({ activity }) =>
              activity && runsOf(activity) > 0 ? (
                <div>
                  <RunsBars runs={activity.runs} />
                  <span>{formatNumber(runsOf(activity))}</span>
                </div>
              ) : (
                none
              ),
          },
          { ...sortable("Errors", "errors"), cell: ({ activity }) => (activity && errorsOf(activity)) ?? none },
          {
            ...sortable("Cost", "cost"),
            cell: ({ activity }) => (activity && runsOf(activity) > 0 ? costText(costOf(activity), 2) : none),
          },
          {
            ...sortable("Last run", "last"),
            cellClass: "muted",
            cell: ({ agent, activity }) =>
              activity ? <RelativeTime at={activity.last_run_at} /> : report && lastRunText(agent, report, now),
          },
        ]}
      />
    </div>
  );
}

/** The share of errors. Undefined: no run has ended. */
function errorsOf(activity: NonNullable<AgentRow["activity"]>) {
  const share = errorShare(activity);
  if (share === undefined) return undefined;
  return (
    <span
      class={isAlarming(share) ? "alarming" : ""}
      title={`${formatNumber(activity.technical_errors)} of ${formatNumber(runsOf(activity))} runs`}
    >
      {isAlarming(share) && <Icon name="warning" />}
      {shareText(share)}
    </span>
  );
}

function NoModel() {
  return (
    <a class="badge warn" href={pageUrl("models")}>
      <Icon name="warning" />
      no model
    </a>
  );
}

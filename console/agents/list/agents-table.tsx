import { useLocation } from "preact-iso/router";
import { formatNumber } from "../../format.ts";
import { costOf, costText } from "../../state/cost.ts";
import { organization, organizationNames, organizations } from "../../state/organization.ts";
import { pageUrl, useQuery } from "../../state/url.ts";
import { useRows } from "../../state/use-rows.ts";
import { Icon } from "../../ui/icon.tsx";
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
  const { route } = useLocation();
  const hasSeveralOrganizations = !organization.value && (organizations.value?.length ?? 0) > 1;
  const url = (index: number): string => pageUrl(`agents/${rows[index]?.agent.id}`);
  const row = useRows("Agents", rows.length, (index) => route(url(index)));
  return (
    <div class="panel">
      <table class="table rows agents-table">
        <thead>
          <tr>
            <Head name="Agent" by="name" order={order} />
            {hasSeveralOrganizations && (
              <th scope="col" class="organization">
                Organization
              </th>
            )}
            <th scope="col" class="model">
              Model
            </th>
            <th scope="col" class="number version">
              Version
            </th>
            <Head name="Runs, 24 h" by="runs" order={order} />
            <Head name="Errors" by="errors" order={order} />
            <Head name="Cost" by="cost" order={order} />
            <Head name="Last run" by="last" order={order} />
          </tr>
        </thead>
        <tbody>
          {rows.map(({ agent, activity }, index) => (
            <tr key={agent.id} {...row(index)}>
              <td class="name" title={agent.name}>
                <div>
                  <a class="row-link" href={url(index)}>
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
              </td>
              {hasSeveralOrganizations && (
                <td class="organization">
                  <bdi>{organizationNames.value.get(agent.organization_id)}</bdi>
                </td>
              )}
              <td class="model" title={agent.model ?? undefined}>
                {agent.model === null ? <NoModel /> : <span class="mono">{agent.model}</span>}
              </td>
              <td class="number version">{agent.version ?? "not recorded"}</td>
              <ActivityCells row={{ agent, activity }} report={report} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Head({ name, by, order }: { name: string; by: Order; order: Order }) {
  const [, setQuery] = useQuery();
  const isSorted = by === order;
  const isName = by === "name";
  return (
    <th
      scope="col"
      class={isName ? "name" : `number ${by}`}
      aria-sort={isSorted ? (isName ? "ascending" : "descending") : undefined}
    >
      <button type="button" onClick={() => setQuery({ sort: by === "last" ? undefined : by })}>
        {name}
        {isSorted && (isName ? " ↑" : " ↓")}
      </button>
    </th>
  );
}

function ActivityCells({ row, report }: { row: AgentRow; report: ActivityReport | undefined }) {
  const { agent, activity } = row;
  const now = useKnownNow();
  const runs = runsOf(activity);
  const share = errorShare(activity);
  return (
    <>
      <td class="number runs">
        {activity && runs > 0 ? (
          <div>
            <RunsBars runs={activity.runs} />
            <span>{formatNumber(runs)}</span>
          </div>
        ) : (
          report && "–"
        )}
      </td>
      <td class="number errors">
        {activity && share !== undefined ? (
          <span
            class={isAlarming(share) ? "alarming" : ""}
            title={`${formatNumber(activity.technical_errors)} of ${formatNumber(runs)} runs`}
          >
            {isAlarming(share) && <Icon name="warning" />}
            {shareText(share)}
          </span>
        ) : (
          report && "–"
        )}
      </td>
      <td class="number cost">{activity && runs > 0 ? costText(costOf(activity), 2) : report && "–"}</td>
      <td class="number muted last">
        {activity ? <RelativeTime at={activity.last_run_at} /> : report && lastRunText(agent, report, now)}
      </td>
    </>
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

import { useLocation } from "preact-iso/router";
import { useMemo, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useResource } from "../../api/use-resource.ts";
import { formatNumber, formatRelative } from "../../format.ts";
import { ambiguousNames } from "../../state/agent-names.ts";
import { agents } from "../../state/agents.ts";
import { blocked } from "../../state/blocked.ts";
import { useShortcuts } from "../../state/keyboard.ts";
import { organization } from "../../state/organization.ts";
import { usePageTitle } from "../../state/page-title.ts";
import { pageUrl, useQuery } from "../../state/url.ts";
import { Button } from "../../ui/fields/button.tsx";
import { Empty, Loading } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Problem } from "../../ui/problem.tsx";
import { type ActivityReport, type AgentRow, type Order, sorted } from "./activity.ts";
import { AgentsTable } from "./agents-table.tsx";

const filters = [
  ["active", "Active"],
  ["archived", "Archived"],
] as const;
const orders: Order[] = ["last", "name", "runs", "errors", "cost"];

/** Rows that are shown at first, and that a click adds: each has about 25 nodes. */
const pageRows = 100;

/** How often the activity is read again, in milliseconds. On AWS, a busy day is 60 requests of the store. */
const refreshMs = 60_000;

/** The list of agents, with what they did lately. */
export function AgentsPage() {
  usePageTitle("Agents");
  const [query, setQuery] = useQuery();
  const { route } = useLocation();
  const status = query["status"] === "archived" ? "archived" : "active";
  const search = (query["q"] ?? "").toLowerCase();
  const order = orders.find((each) => each === query["sort"]) ?? "last";
  const owner = organization.value?.id;
  const { data: report, error } = useResource(
    `activity ${owner}`,
    (signal) => call("list_agent_activity", { organization_id: owner }, { signal }),
    refreshMs,
  );
  const ofOrganization = agents.value?.filter((agent) => owner === undefined || agent.organization_id === owner);
  const shown = ofOrganization?.filter(
    (agent) =>
      agent.status === status &&
      [agent.name, agent.id, agent.model ?? ""].some((text) => text.toLowerCase().includes(search)),
  );
  const activity = new Map(report?.data.map((each) => [each.agent_id, each]));
  const rows = shown?.map((agent): AgentRow => ({ agent, activity: activity.get(agent.id) }));
  const ids = rows?.map(({ agent }) => agent.id).join();
  // Rows keep their places while their numbers change.
  const places = useMemo(
    () => new Map(sorted(rows ?? [], order).map(({ agent }, place) => [agent.id, place])),
    [ids, order, report === undefined],
  );
  rows?.sort((one, other) => (places.get(one.agent.id) ?? 0) - (places.get(other.agent.id) ?? 0));
  const create = (): void => route(pageUrl("agents/new"));
  const reason = blocked("create agents", owner);
  return (
    <main class="page">
      <div class="page-head">
        <h1>Agents</h1>
        <div class="actions">
          {reason !== undefined && <span class="muted">{reason}</span>}
          <Button kind="primary" icon="plus" blocked={reason} onClick={create}>
            New agent
          </Button>
        </div>
      </div>
      <div class="tabs">
        {filters.map(([value, name]) => (
          <a
            key={value}
            href={pageUrl("agents", { status: value })}
            aria-current={value === status ? "page" : undefined}
          >
            {name}
            <span class="count">{ofOrganization?.filter((agent) => agent.status === value).length}</span>
          </a>
        ))}
      </div>
      <div class="filter-bar">
        <SearchField value={query["q"] ?? ""} onInput={(q) => setQuery({ q })} />
        {rows && rows.length > 0 && report && <p class="muted end">{periodText(report)}</p>}
      </div>
      <Problem>{error?.message}</Problem>
      {!rows && <Loading />}
      {rows && rows.length > 0 && <Rows key={`${status} ${search}`} rows={rows} report={report} order={order} />}
      {rows?.length === 0 && <NoAgents status={status} search={search} onCreate={create} />}
    </main>
  );
}

/** The first rows, and a button for more. */
function Rows({ rows, ...table }: { rows: AgentRow[]; report: ActivityReport | undefined; order: Order }) {
  const [count, setCount] = useState(pageRows);
  return (
    <>
      <AgentsTable rows={rows.slice(0, count)} ambiguous={ambiguousNames(rows.map(({ agent }) => agent))} {...table} />
      {rows.length > count && (
        <p class="row more-agents">
          <Button onClick={() => setCount(count + pageRows)}>
            Show {Math.min(pageRows, rows.length - count)} more
          </Button>
          <span class="muted">
            {formatNumber(count)} of {formatNumber(rows.length)} shown
          </span>
        </p>
      )}
    </>
  );
}

/** What the numbers of the rows are about. The service reads the newest 5,000 runs. */
function periodText({ covers_since: since }: ActivityReport): string {
  const now = Date.now();
  const isCut = since !== null && now - Date.parse(since) < 86_400_000;
  return isCut
    ? `Runs, errors and cost of the newest 5,000 runs, since ${formatRelative(Date.parse(since), now)}`
    : "Runs, errors and cost of the last 24 hours";
}

function SearchField({ value, onInput }: { value: string; onInput: (value: string) => void }) {
  const [field, setField] = useState<HTMLInputElement | null>(null);
  useShortcuts("Agents", [{ keys: "/", label: "Filter", run: () => field?.focus() }]);
  return (
    <label class="search-field">
      <Icon name="search" />
      <span class="visually-hidden">Filter agents</span>
      <input
        ref={setField}
        type="search"
        class="input"
        placeholder="Name, model or agent id"
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </label>
  );
}

function NoAgents({ status, search, onCreate }: { status: string; search: string; onCreate: () => void }) {
  if (search !== "") return <p class="none">No {status} agent matches.</p>;
  if (status === "archived") return <p class="none">No archived agents.</p>;
  return (
    <Empty title="Create the first agent">
      <p>
        An agent is what runs are made of: instructions, a model, tools and limits. Programs start its runs with a key.
      </p>
      <Button kind="primary" icon="plus" blocked={blocked("create agents", organization.value?.id)} onClick={onCreate}>
        New agent
      </Button>
    </Empty>
  );
}

import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import type { AgentSummary } from "../api/types.ts";
import { agents } from "../state/agents.ts";
import { blocked } from "../state/blocked.ts";
import { useShortcuts } from "../state/keyboard.ts";
import { organization, organizations } from "../state/organization.ts";
import { usePageTitle } from "../state/page-title.ts";
import { pageUrl, useQuery } from "../state/url.ts";
import { Button } from "../ui/button.tsx";
import { Empty, Loading } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { useRows } from "../state/use-rows.ts";

const filters = [
  ["active", "Active"],
  ["archived", "Archived"],
] as const;

/** The list of agents. */
export function AgentsPage() {
  usePageTitle("Agents");
  const [query, setQuery] = useQuery();
  const { route } = useLocation();
  const status = query["status"] === "archived" ? "archived" : "active";
  const search = (query["q"] ?? "").toLowerCase();
  const ofOrganization = agents.value?.filter(
    (agent) => !organization.value || agent.organization_id === organization.value.id,
  );
  const shown = ofOrganization?.filter(
    (agent) =>
      agent.status === status &&
      [agent.name, agent.id, agent.model ?? ""].some((text) => text.toLowerCase().includes(search)),
  );
  const create = (): void => route(pageUrl("agents/new"));
  const reason = blocked("create agents", organization.value?.id);
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
      <SearchField value={query["q"] ?? ""} onInput={(q) => setQuery({ q })} />
      {!shown && <Loading />}
      {shown && shown.length > 0 && <AgentTable agents={shown} />}
      {shown?.length === 0 && <NoAgents status={status} search={search} onCreate={create} />}
    </main>
  );
}

function SearchField({ value, onInput }: { value: string; onInput: (value: string) => void }) {
  const [field, setField] = useState<HTMLInputElement | null>(null);
  useShortcuts("Agents", [{ keys: "/", label: "Filter", run: () => field?.focus() }]);
  return (
    <div class="filter-bar">
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
    </div>
  );
}

function AgentTable({ agents: shown }: { agents: AgentSummary[] }) {
  const { route } = useLocation();
  const hasSeveralOrganizations = !organization.value && (organizations.value?.length ?? 0) > 1;
  const url = (index: number): string => pageUrl(`agents/${shown[index]?.id}`);
  const row = useRows("Agents", shown.length, (index) => route(url(index)));
  return (
    <div class="panel scroll-x">
      <table class="table rows">
        <thead>
          <tr>
            <th scope="col">Agent</th>
            {hasSeveralOrganizations && <th scope="col">Organization</th>}
            <th scope="col">Model</th>
            <th scope="col">Version</th>
            <th scope="col">Created</th>
            <th scope="col" class="number">
              Last changed
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((agent, index) => (
            <tr key={agent.id} {...row(index)}>
              <td>
                <a class="row-link" href={url(index)}>
                  <bdi>{agent.name}</bdi>
                </a>{" "}
                <span class="mono muted">{agent.id.slice(0, 8)}</span>
              </td>
              {hasSeveralOrganizations && (
                <td>
                  <bdi>{organizations.value?.find(({ id }) => id === agent.organization_id)?.name}</bdi>
                </td>
              )}
              <td>{agent.model === null ? <NoModel /> : <span class="mono">{agent.model}</span>}</td>
              <td>{agent.version ?? "not recorded"}</td>
              <td>
                <RelativeTime at={agent.created_at} />
              </td>
              <td class="number">
                <RelativeTime at={agent.updated_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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

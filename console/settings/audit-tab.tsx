import { useResource } from "../api/use-resource.ts";
import { formatDateTime, shortRunId } from "../format.ts";
import { agents } from "../state/agents.ts";
import { organizations } from "../state/organization.ts";
import { commands } from "../api/session.ts";
import { useQuery } from "../state/url.ts";
import { Loading } from "../ui/empty.tsx";
import { Select } from "../ui/fields/field.tsx";
import { Problem } from "../ui/problem.tsx";
import { Rows } from "../ui/rows.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { auditTarget } from "./audit-target.ts";
import { type AuditEntry, auditLimit, readAudit } from "./settings-calls.ts";

const day = 86_400_000;

/** By days. */
const times = [
  ["", "Any time"],
  ["1", "Last 24 hours"],
  ["7", "Last 7 days"],
  ["30", "Last 30 days"],
] as const;

/** What operators did, with links to what it was done to. */
export function AuditTab() {
  const [query, setQuery] = useQuery();
  const [days] = times.find(([name]) => name === query["since"]) ?? times[0];
  const actor = query["actor"] ?? "";
  const { data, error } = useResource(
    days || "any",
    (signal) => readAudit(days && new Date(Date.now() - Number(days) * day).toISOString(), signal),
    15_000,
  );
  const actors = [...new Set(data?.map((entry) => entry.actor))].sort((one, other) => one.localeCompare(other));
  const shown = data?.filter((entry) => actor === "" || entry.actor === actor);
  return (
    <>
      <div class="filter-bar">
        <label class="inline">
          <span class="visually-hidden">Time</span>
          <Select value={days} options={times} onChange={(since) => setQuery({ since })} />
        </label>
        <label class="inline">
          <span class="visually-hidden">Operator</span>
          <Select
            value={actor}
            options={[["", "All operators"], ...actors.map((each) => [each, each] as const)]}
            onChange={(chosen) => setQuery({ actor: chosen })}
          />
        </label>
      </div>
      <Problem>{error?.message}</Problem>
      {!shown && !error && <Loading />}
      {shown?.length === 0 && <p class="none">No changes in this time.</p>}
      {shown && shown.length > 0 && <AuditTable entries={shown} />}
      {data?.length === auditLimit && (
        <p class="none">
          The newest {auditLimit} entries. {commands().admin} audit lists older ones.
        </p>
      )}
    </>
  );
}

function AuditTable({ entries }: { entries: AuditEntry[] }) {
  const names = new Map([...(agents.value ?? []), ...(organizations.value ?? [])].map(({ id, name }) => [id, name]));
  return (
    <div class="panel scroll-x">
      <Rows
        rows={entries}
        columns={[
          { head: "When", title: ({ at }) => formatDateTime(at), cell: ({ at }) => <RelativeTime at={at} /> },
          { head: "Operator", cell: ({ actor }) => <bdi>{actor}</bdi> },
          { head: "Action", cellClass: "mono", cell: ({ action }) => action },
          { head: "On", cell: (entry) => <Target entry={entry} name={names.get(entry.id)} /> },
        ]}
      />
    </div>
  );
}

function Target({ entry, name }: { entry: AuditEntry; name: string | undefined }) {
  const { url, version } = auditTarget(entry);
  const text =
    name === undefined ? (
      <span class="mono">{entry.action.startsWith("run.") ? shortRunId(entry.id) : entry.id.slice(0, 8)}</span>
    ) : (
      <bdi>{name}</bdi>
    );
  return (
    <>
      {url === undefined ? <span title={entry.id}>{text}</span> : <a href={url}>{text}</a>}
      {version !== undefined && <span class="muted"> version {version}</span>}
    </>
  );
}

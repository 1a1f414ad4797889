import { useResource } from "../api/use-resource.ts";
import { formatDateTime, shortRunId } from "../format.ts";
import { agents } from "../state/agents.ts";
import { organizations } from "../state/organization.ts";
import { commands } from "../api/session.ts";
import { useQuery } from "../state/url.ts";
import { Loading } from "../ui/empty.tsx";
import { Problem } from "../ui/problem.tsx";
import { Rows } from "../ui/rows.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { auditTarget } from "./audit-target.ts";
import { type AuditEntry, auditLimit, readAudit } from "./settings-calls.ts";

const day = 86_400_000;

const times = [
  ["", "Any time", undefined],
  ["1", "Last 24 hours", day],
  ["7", "Last 7 days", 7 * day],
  ["30", "Last 30 days", 30 * day],
] as const;

/** What operators did, with links to what it was done to. */
export function AuditTab() {
  const [query, setQuery] = useQuery();
  const time = times.find(([name]) => name === query["since"]) ?? times[0];
  const actor = query["actor"] ?? "";
  const { data, error } = useResource(
    time[0] || "any",
    (signal) => readAudit(time[2] === undefined ? undefined : new Date(Date.now() - time[2]).toISOString(), signal),
    15_000,
  );
  const actors = [...new Set(data?.map((entry) => entry.actor))].sort((one, other) => one.localeCompare(other));
  const shown = data?.filter((entry) => actor === "" || entry.actor === actor);
  return (
    <>
      <div class="filter-bar">
        <label class="inline">
          <span class="visually-hidden">Time</span>
          <select
            class="input"
            value={time[0]}
            onChange={({ currentTarget }) => setQuery({ since: currentTarget.value })}
          >
            {times.map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label class="inline">
          <span class="visually-hidden">Operator</span>
          <select
            class="input"
            value={actor}
            onChange={({ currentTarget }) => setQuery({ actor: currentTarget.value })}
          >
            <option value="">All operators</option>
            {actors.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
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

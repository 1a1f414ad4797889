import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import type { Schemas } from "../api/types.ts";
import { useResource } from "../api/use-resource.ts";
import { formatDateTime, formatNumber } from "../format.ts";
import { organization } from "../state/organization.ts";
import { usePageTitle } from "../state/page-title.ts";
import { pageUrl, useQuery } from "../state/url.ts";
import { Empty, Loading } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { Problem, Warning } from "../ui/problem.tsx";
import { Rows } from "../ui/rows.tsx";
import { Segments } from "../ui/fields/segments.tsx";
import { RelativeTime } from "../ui/time.tsx";

type Group = Schemas["FailureGroup"];

const ranges = [
  ["1", "Today"],
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
] as const;

/** How often the report is read again, in milliseconds. */
const refreshMs = 60_000;
const dayMs = 86_400_000;

/** Failed runs by reason, so that one cause is seen once, however many runs it has. */
export function ErrorsPage() {
  usePageTitle("Errors");
  const [query, setQuery] = useQuery();
  const [range] = ranges.find(([each]) => each === query["days"]) ?? ranges[1];
  const owner = organization.value;
  const { data, error } = useResource(
    `${owner?.id} ${range}`,
    (signal) => {
      const since = new Date(Date.now() - (Number(range) - 1) * dayMs).toISOString().slice(0, 10);
      return call("get_failures", { since, organization_id: owner?.id }, { signal });
    },
    refreshMs,
  );
  return (
    <main class="page errors-page">
      <div class="page-head">
        <h1>Errors</h1>
        <div class="actions">
          <Segments label="Time" options={ranges} value={range} onChange={(days) => setQuery({ days })} />
        </div>
      </div>
      <Problem>{error?.message}</Problem>
      {!data && !error && <Loading />}
      {data && !data.complete && (
        <Warning>There are more runs than this report reads. Choose a shorter time for exact numbers.</Warning>
      )}
      {data?.data.length === 0 && (
        <Empty title={`No run failed ${range === "1" ? "today" : `in the last ${range} days`}`}>
          <p>Runs that end with a technical error appear here, those with the same cause together.</p>
        </Empty>
      )}
      {data && data.data.length > 0 && <Groups groups={data.data} />}
    </main>
  );
}

function Groups({ groups }: { groups: Group[] }) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string): void => {
    setOpened((before) => new Set(before.has(key) ? [...before].filter((each) => each !== key) : [...before, key]));
  };
  return (
    <section class="panel">
      <div class="scroll-x">
        <Rows
          class="table fixed cards errors-table"
          rows={groups}
          keyOf={keyOf}
          columns={[
            { head: "Category", cell: ({ category }) => <code class="badge bad outlined">{category}</code> },
            {
              head: "What failed",
              cell: (group) => {
                const isOpen = opened.has(keyOf(group));
                return (
                  <button type="button" class="what" aria-expanded={isOpen} onClick={() => toggle(keyOf(group))}>
                    <Icon name={isOpen ? "down" : "right"} />
                    <bdi>{group.title}</bdi>
                  </button>
                );
              },
            },
            { head: "Runs", class: "number", cell: ({ runs }) => formatNumber(runs) },
            { head: "Agents", class: "number", cell: ({ agents }) => formatNumber(agents) },
            { head: "Last", class: "number", cell: ({ last_at }) => <RelativeTime at={last_at} /> },
          ]}
          below={(group) => opened.has(keyOf(group)) && <GroupDetail group={group} />}
        />
      </div>
    </section>
  );
}

const keyOf = ({ category, title }: Group): string => `${category} ${title}`;

/** What to do, and the newest runs. */
function GroupDetail({ group }: { group: Group }) {
  return (
    <>
      <p>{group.remedy}</p>
      <ul>
        {group.newest.map((run) => (
          <li key={run.id}>
            <a href={pageUrl(`runs/${run.id}`)}>
              <bdi>{run.name}</bdi>
            </a>{" "}
            <span class="muted">{formatDateTime(run.created_at)}</span>
          </li>
        ))}
      </ul>
      {group.runs > group.newest.length && (
        <p class="muted">
          The newest {group.newest.length} of {formatNumber(group.runs)} runs, first on {formatDateTime(group.first_at)}
          .
        </p>
      )}
    </>
  );
}

import { useMemo } from "preact/hooks";
import { useResource } from "../api/use-resource.ts";
import { agents } from "../state/agents.ts";
import { costOf, sumOfCosts } from "../state/cost.ts";
import { organization, organizations } from "../state/organization.ts";
import { usePageTitle } from "../state/page-title.ts";
import { useQuery } from "../state/url.ts";
import { Button } from "../ui/fields/button.tsx";
import { Empty, Loading } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/dialogs/menu.tsx";
import { Problem, Warning } from "../ui/problem.tsx";
import { saveBlob } from "../ui/save-blob.ts";
import { Segments } from "../ui/fields/segments.tsx";
import { Charts } from "./charts.tsx";
import { usageCsv } from "./csv.ts";
import { daysBefore, lastDays } from "./days.ts";
import { DaysTable } from "./days-table.tsx";
import { Figures } from "./figures.tsx";
import { type Grouping, reportOf, type UsageRow } from "./report.ts";
import { readUsage } from "./usage-calls.ts";
import { UsageTable } from "./usage-table.tsx";

const ranges = ["7", "14", "30", "90"];
const groupings = [
  ["agent", "By agent"],
  ["model", "By model"],
] as const;
const measures = [
  ["dollars", "Cost"],
  ["tokens", "Tokens"],
  ["runs", "Runs"],
  ["errors", "Errors"],
] as const;

/** How often the numbers are read again, in milliseconds. */
const refreshMs = 60_000;

/** What runs used, by day, agent and model. */
export function UsagePage() {
  usePageTitle("Usage");
  const [query, setQuery] = useQuery();
  const grouping: Grouping = query["by"] === "model" ? "model" : "agent";
  const measure = measures.find(([each]) => each === query["rank"])?.[0];
  const range = ranges.find((each) => each === query["days"]) ?? "14";
  const days = lastDays(Number(range), new Date());
  const first = days[0] ?? "";
  const owner = organization.value ?? onlyOne(organizations.value);
  const { data, error } = useResource(
    `${owner?.id} ${first} ${range} ${measure}`,
    (signal) => readUsage(first, Number(range), owner?.id, measure, signal),
    refreshMs,
  );
  const names = new Map(agents.value?.map(({ id, name }) => [id, name]));
  const report = useMemo(
    () => data && reportOf(data.rows, days, grouping, names, measure),
    [data, first, grouping, agents.value, measure],
  );
  const budget = owner?.max_dollars_per_day ?? undefined;
  return (
    <main class="page usage-page">
      <div class="page-head">
        <h1>Usage</h1>
        <div class="actions">
          <span class="muted rank" aria-hidden="true">
            Rank by
          </span>
          <Segments
            label="Rank by"
            options={measures}
            value={measure ?? report?.measure ?? "dollars"}
            onChange={(rank) => setQuery({ rank })}
          />
          <Segments label="Group" options={groupings} value={grouping} onChange={(by) => setQuery({ by })} />
          <Menu
            align="end"
            label={
              <>
                Last {range} days
                <Icon name="down" />
              </>
            }
          >
            {ranges.map((each) => (
              <button key={each} type="button" onClick={() => setQuery({ days: each })}>
                Last {each} days
                {each === range && <Icon name="check" class="end" />}
              </button>
            ))}
          </Menu>
          <Button
            icon="download"
            disabled={!data}
            onClick={() =>
              data &&
              saveCsv(
                data.rows.filter(({ day }) => day >= first),
                names,
                days,
              )
            }
          >
            CSV
          </Button>
        </div>
      </div>
      <Problem>{error?.message}</Problem>
      {!data && !error && <Loading />}
      {data && !data.complete && (
        <Warning>There are more runs than this report reads. Choose a shorter time for exact numbers.</Warning>
      )}
      {data && report && report.series.length === 0 && (
        <Empty title={`No runs in the last ${range} days`}>
          <p>Cost, tokens and runs appear here as soon as an agent works.</p>
        </Empty>
      )}
      {data && report && report.series.length > 0 && (
        <>
          <Figures
            report={report}
            dollarsBefore={dollarsOf(data.rows, daysBefore(first, Number(range)), first)}
            grouping={grouping}
            budget={budget}
          />
          <Charts report={report} budget={budget} />
          <UsageTable report={report} grouping={grouping} budgets={data.budgets} />
          <DaysTable report={report} />
        </>
      )}
    </main>
  );
}

function onlyOne<Item>(items: Item[] | undefined): Item | undefined {
  return items?.length === 1 ? items[0] : undefined;
}

/** US dollars of the days from `from`, before `to`. 0 if a part of them is unknown. */
function dollarsOf(rows: UsageRow[], from: string, to: string): number {
  const { dollars, unpricedTokens } = sumOfCosts(rows.filter(({ day }) => day >= from && day < to).map(costOf));
  return unpricedTokens > 0 ? 0 : dollars;
}

function saveCsv(rows: UsageRow[], names: Map<string, string>, days: string[]): void {
  const text = usageCsv(rows, names);
  saveBlob(new Blob([text], { type: "text/csv" }), `usage-${days[0]}-${days.at(-1)}.csv`);
}

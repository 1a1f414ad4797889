import { useEffect } from "preact/hooks";
import { call } from "../api/client.ts";
import { poll } from "../api/poll.ts";
import type { Schemas } from "../api/types.ts";
import { useResource } from "../api/use-resource.ts";
import { AskCards } from "../run/waiting/ask-cards.tsx";
import { useAskKeys } from "../run/waiting/ask-keys.ts";
import { organization } from "../state/organization.ts";
import { usePageTitle } from "../state/page-title.ts";
import { readWaiting, waiting } from "../state/waiting.ts";
import { Empty, Loading } from "../ui/empty.tsx";
import { Problem } from "../ui/problem.tsx";
import { NotifyButton } from "./notify-button.tsx";
import { isFiltered, useWaitingFilter, type WaitingFilter, WaitingFilters } from "./waiting-filters.tsx";

/** How often the list is read. Milliseconds. */
const refreshMs = 5_000;

/** All calls that wait for an answer, by run: the run whose time ends first at the beginning. */
export function WaitingPage() {
  usePageTitle("Waiting");
  useAskKeys("Waiting");
  const owner = organization.value?.id;
  const filter = useWaitingFilter();
  const isWhole = !isFiltered(filter);
  const found = useResource(
    isWhole ? undefined : JSON.stringify([owner, filter]),
    (signal) => call("list_waiting", { organization_id: owner, ...filter }, { signal }),
    refreshMs,
  );
  useEffect(() => {
    if (!isWhole) return undefined;
    const controller = new AbortController();
    void poll(refreshMs, controller.signal, readWaiting);
    return () => controller.abort();
  }, [owner, isWhole]);
  const list = isWhole ? waiting.value : found.data;
  return (
    <main class="page waiting-page">
      <div class="page-head">
        <h1>Waiting</h1>
        <div class="actions">
          <NotifyButton />
        </div>
      </div>
      <WaitingFilters filter={filter} />
      <Problem>{found.error?.message}</Problem>
      {!list && !found.error && <Loading />}
      {list?.data.length === 0 && <NoCalls filter={filter} />}
      {list?.data.map((each) => (
        <WaitingRun key={each.run.id} waiting={each} onChanged={isWhole ? readWaiting : found.reload} />
      ))}
      {list && list.data.length > 0 && <Foot list={list} />}
    </main>
  );
}

function NoCalls({ filter }: { filter: WaitingFilter }) {
  if (isFiltered(filter)) {
    return (
      <Empty title="No call that waits matches">
        <p>
          <a href="/console/waiting">Show all calls that wait</a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No call waits for an answer">
      <p>A tool call waits here when the agent’s file asks for an approval, a program or a person.</p>
    </Empty>
  );
}

interface WaitingRunProps {
  waiting: Schemas["WaitingRun"];
  onChanged: () => Promise<void>;
}

function WaitingRun({ waiting: { run, open_calls: calls }, onChanged }: WaitingRunProps) {
  return (
    <section class="waiting-run" aria-label={run.name || run.id}>
      <h2>
        <a href={`/console/runs/${run.id}`}>
          <bdi>{run.name || run.id}</bdi>
        </a>
        <bdi class="muted">{run.agent_name}</bdi>
      </h2>
      <AskCards run={run} calls={calls} onChanged={onChanged} />
    </section>
  );
}

function Foot({ list: { data, more } }: { list: Schemas["WaitingRunList"] }) {
  const calls = data.flatMap(({ open_calls }) => open_calls).length;
  return (
    <p class="muted">
      {calls} open {calls === 1 ? "call" : "calls"} of {data.length} {data.length === 1 ? "run" : "runs"}
      {more && ", and those of more runs"}. A run that waits costs nothing and does not count as running.
    </p>
  );
}

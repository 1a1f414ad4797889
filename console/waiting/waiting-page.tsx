import { useEffect } from "preact/hooks";
import { poll } from "../api/poll.ts";
import type { Schemas } from "../api/types.ts";
import { AskCards } from "../run/waiting/ask-cards.tsx";
import { useAskKeys } from "../run/waiting/ask-keys.ts";
import { organization } from "../state/organization.ts";
import { usePageTitle } from "../state/page-title.ts";
import { readWaiting, waiting, waitingCalls } from "../state/waiting.ts";
import { Empty, Loading } from "../ui/empty.tsx";
import { NotifyButton } from "./notify-button.tsx";

/** How often the list is read. Milliseconds. */
const refreshMs = 5_000;

/** All calls that wait for an answer, by run: the run whose time ends first at the beginning. */
export function WaitingPage() {
  usePageTitle("Waiting");
  useAskKeys("Waiting");
  const owner = organization.value?.id;
  useEffect(() => {
    const controller = new AbortController();
    void poll(refreshMs, controller.signal, readWaiting);
    return () => controller.abort();
  }, [owner]);
  const list = waiting.value;
  return (
    <main class="page waiting-page">
      <div class="page-head">
        <h1>Waiting</h1>
        <div class="actions">
          <NotifyButton />
        </div>
      </div>
      {!list && <Loading />}
      {list?.data.length === 0 && (
        <Empty title="No call waits for an answer">
          <p>A tool call waits here when the agent’s file asks for an approval, a program or a person.</p>
        </Empty>
      )}
      {list?.data.map((each) => (
        <WaitingRun key={each.run.id} waiting={each} />
      ))}
      {list && list.data.length > 0 && <Foot list={list} />}
    </main>
  );
}

function WaitingRun({ waiting: { run, open_calls: calls } }: { waiting: Schemas["WaitingRun"] }) {
  return (
    <section class="waiting-run" aria-label={run.name || run.id}>
      <h2>
        <a href={`/console/runs/${run.id}`}>
          <bdi>{run.name || run.id}</bdi>
        </a>
        <bdi class="muted">{run.agent_name}</bdi>
      </h2>
      <AskCards run={run} calls={calls} onChanged={() => Promise.resolve()} />
    </section>
  );
}

function Foot({ list: { data, more } }: { list: Schemas["WaitingRunList"] }) {
  const calls = waitingCalls.value;
  return (
    <p class="muted">
      {calls} open {calls === 1 ? "call" : "calls"} of {data.length} {data.length === 1 ? "run" : "runs"}
      {more && ", and those of more runs"}. A run that waits costs nothing and does not count as running.
    </p>
  );
}

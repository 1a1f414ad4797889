import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import type { Schemas } from "../api/types.ts";
import { useResource } from "../api/use-resource.ts";
import { formatNumber } from "../format.ts";
import { AgentFilter } from "../state/agent-filter.tsx";
import { useShortcuts } from "../state/keyboard.ts";
import { organization } from "../state/organization.ts";
import { usePageTitle } from "../state/page-title.ts";
import { useQuery } from "../state/url.ts";
import { Button } from "../ui/fields/button.tsx";
import { Empty, Loading } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { Problem } from "../ui/problem.tsx";
import { FoundRun } from "./found-run.tsx";

/** Search in what the runs of the last 90 days recorded. Text and agent are in the address. */
export function TextsPage() {
  usePageTitle("Search in texts");
  const [query, setQuery] = useQuery();
  const { q = "", agent } = query;
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  useEffect(() => {
    if (q === "") input.current?.focus();
  }, []);
  const select = (): void => (input.current?.focus(), input.current?.select());
  useShortcuts("Lists", [{ keys: "/", label: "Search", run: select }]);
  const owner = agent === undefined ? organization.value?.id : undefined;
  const key = q.trim() === "" ? undefined : JSON.stringify([q, agent, owner]);
  const { data, error, reload } = useResource(key, (signal) =>
    call("search_texts", { q, agent_id: agent, organization_id: owner }, { signal }),
  );
  return (
    <main class="page texts-page">
      <div class="page-head">
        <h1>Search in texts</h1>
      </div>
      <form
        class="filter-bar"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() === q.trim()) void reload();
          else setQuery({ q: text.trim() }, { push: true });
        }}
      >
        <label class="search-field">
          <Icon name="search" />
          <input
            ref={input}
            class="input"
            type="search"
            maxLength={200}
            aria-label="Words to search for"
            placeholder="Words, or “several words”"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
        <Button kind="primary" type="submit">
          Search
        </Button>
        <AgentFilter chosen={agent} onChoose={(id) => setQuery({ agent: id })} />
      </form>
      <Problem>{error?.message}</Problem>
      {key !== undefined && !data && !error && <Loading />}
      {data && <Results found={data} onRepeat={() => void reload()} />}
      {key === undefined && (
        <Empty title="What did a run say?">
          <p>
            Finds inputs, answers, reasoning, tool calls, tool results and errors of the last 90 days that have all
            words. Each can be the beginning of a word.
          </p>
        </Empty>
      )}
    </main>
  );
}

function Results({ found, onRepeat }: { found: Schemas["FoundTexts"]; onRepeat: () => void }) {
  const { data, more, searched_runs: searched, complete } = found;
  const runs = `${formatNumber(data.length)}${more ? "+" : ""} ${data.length === 1 && !more ? "run matches" : "runs match"}.`;
  return (
    <>
      <p class="texts-found" role="status">
        <span>
          <b>{data.length === 0 ? "No run matches." : runs}</b>{" "}
          {complete
            ? `Searched all ${formatNumber(searched)} runs of the last 90 days.`
            : `Searched the newest ${formatNumber(searched)} runs of the last 90 days, but not all of their texts. Search again, add a word or choose an agent.`}
        </span>
        {!complete && <Button onClick={onRepeat}>Search again</Button>}
      </p>
      {data.length > 0 && (
        <ol class="panel found-runs">
          {data.map((each) => (
            <FoundRun key={each.run.id} found={each} />
          ))}
        </ol>
      )}
      {more && <p class="muted">Only the newest runs are shown. Add a word, or choose an agent.</p>}
    </>
  );
}

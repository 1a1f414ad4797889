import { useLocation } from "preact-iso/router";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useResource } from "../api/use-resource.ts";
import { blocked } from "../state/blocked.ts";
import { openStart } from "../state/dialogs.ts";
import { keyNames, useShortcuts } from "../state/keyboard.ts";
import { organization } from "../state/organization.ts";
import { usePageTitle } from "../state/page-title.ts";
import { pageUrl, useQuery } from "../state/url.ts";
import { Button } from "../ui/fields/button.tsx";
import { Loading } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { loadLater } from "../ui/load-later.tsx";
import { withStyle } from "../ui/load-style.ts";
import { countOf, shownText } from "./counts-text.ts";
import { FilterBar } from "./filter-bar.tsx";
import { apiQuery, conditionsOf, type Order, orders, parseFilters } from "./filters.ts";
import { NoMatch } from "./no-match.tsx";
import { RunList, rowsByScrolling } from "./run-list.ts";
import { RunRows } from "./run-rows.tsx";
import { StatusTabs } from "./status-tabs.tsx";
import { Today } from "./today.tsx";
import { Totals } from "./totals.tsx";

const FirstRun = loadLater(() => withStyle(import("./first-run/first-run.tsx")).then((module) => module.FirstRun));

/** The list of runs: live, with filters in the address. */
export function RunsPage() {
  const [query, setQuery] = useQuery();
  const { route } = useLocation();
  const filters = parseFilters(query);
  const organizationId = organization.value?.id;
  const place = JSON.stringify([filters, organizationId]);
  const list = useMemo(() => new RunList(() => apiQuery(filters, organizationId, Date.now()), isAtTop), [place]);
  useEffect(() => {
    const controller = new AbortController();
    list.watch(controller.signal);
    return () => controller.abort();
  }, [list]);
  usePageTitle("Runs");

  const sortBy = (sort: Order | undefined): void => setQuery({ sort: sort === "created" ? undefined : sort });
  const runs = list.runs.value;
  const [chosen, setCurrent] = useState<string>();
  const current = runs?.some(({ id }) => id === chosen) ? chosen : runs?.[0]?.id;
  const [toggled, setToggled] = useState<Record<string, boolean>>({});
  const open = new Set((runs ?? []).map(({ id }) => id).filter((id) => toggled[id] ?? id === list.firstError));
  const toggle = (id: string | undefined): void => {
    if (id !== undefined) setToggled({ ...toggled, [id]: !open.has(id) });
  };
  const openRun = (id: string | undefined, inNewTab: boolean): void => {
    if (id === undefined) return;
    if (inNewTab) window.open(`/console/runs/${id}`, "_blank", "noopener");
    else route(`/console/runs/${id}`);
  };
  const move = (step: number): void => {
    const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
    const index = rows.findIndex((row) => row.dataset["row"] === (focusedRun() ?? current));
    const next = focusedRun() === undefined ? index : index + step;
    rows[Math.max(0, Math.min(rows.length - 1, next))]?.focus();
  };
  useShortcuts("Lists", [
    { keys: "j", label: "Next row", run: () => move(1) },
    { keys: "k", label: "Previous row", run: () => move(-1) },
    { keys: "Enter", label: "Open", run: () => openRun(focusedRun(), false) },
    { keys: "mod+Enter", label: "Open in a new tab", run: () => openRun(focusedRun(), true) },
    { keys: "x", label: "Show error", run: () => toggle(focusedRun()) },
    {
      keys: "s",
      label: "Sort by the next column",
      run: () => sortBy(orders[(orders.indexOf(filters.sort) + 1) % orders.length]),
    },
    { keys: ".", label: "Show new runs", run: () => list.showArrived() },
  ]);

  const counts = list.counts.value;
  // The menus keep what they offer while a changed list is counted.
  const lastCounts = useRef(counts);
  lastCounts.current = counts ?? lastCounts.current;
  const isEmpty = runs?.length === 0 && !filters.status && conditionsOf(filters).length === 0;
  const all = useResource(isEmpty ? "all runs" : undefined, (signal) => call("count_runs", {}, { signal }));
  const isFirstRun = isEmpty && all.data !== undefined && countOf(all.data, undefined) === 0;
  const isUnknown = !runs || (isEmpty && !all.data && !all.error);
  const arrived = list.arrived.value.length;
  const arrivedText = `${arrived}${list.moreArrived.value ? "+" : ""} new ${arrived === 1 ? "run" : "runs"}`;
  const reason = blocked("start runs");
  return (
    <main class="page runs-page">
      <div class="page-head">
        <h1>Runs</h1>
        {!isFirstRun && (
          <div class="actions">
            {reason !== undefined && <span class="muted">{reason}</span>}
            <a class="button" href={pageUrl("texts", { q: filters.text, agent: filters.agent })}>
              <Icon name="search" />
              Search in texts
            </a>
            <Button
              kind="primary"
              icon="plus"
              hint="N"
              blocked={reason}
              onClick={() => openStart(filters.agent ? { agentId: filters.agent } : {})}
            >
              Start run
            </Button>
          </div>
        )}
      </div>
      {isFirstRun ? (
        <FirstRun />
      ) : (
        <>
          <StatusTabs counts={counts} status={filters.status} query={query} />
          <FilterBar filters={filters} counts={counts ?? lastCounts.current}>
            {organization.value && <Today organization={organization.value} />}
          </FilterBar>
          <Totals counts={counts} filters={filters} query={query} />
          <p class="visually-hidden" role="status">
            {arrived > 0 && arrivedText}
          </p>
          <section class="panel runs-panel" aria-label="Runs">
            {arrived > 0 && (
              <button type="button" class="arrived" onClick={() => list.showArrived()}>
                <Icon name="upload" />
                {arrivedText}
              </button>
            )}
            {list.error.value && (
              <p class="note bad" role="alert">
                <Icon name="warning" />
                {list.error.value.message}
              </p>
            )}
            {isUnknown && !list.error.value && <Loading />}
            {runs?.length === 0 && !isUnknown && (
              <NoMatch filters={filters} organizationId={organizationId} query={query} />
            )}
            {runs && runs.length > 0 && (
              <RunRows
                runs={runs}
                sort={filters.sort}
                onSort={sortBy}
                stale={list.stale.value}
                current={current}
                open={open}
                onFocus={setCurrent}
                onToggle={toggle}
                onOpen={openRun}
              />
            )}
            {list.hasMore.value && <More list={list} />}
          </section>
        </>
      )}
      <footer class="hint-bar">
        {hints.map(([keys, name]) => (
          <span key={name}>
            {keys.map((key) => (
              <kbd key={key}>{keyNames(key)}</kbd>
            ))}
            {name}
          </span>
        ))}
        <span class="right">
          {runs && shownText(runs.length, counts, filters.status, filters.text !== undefined)}
          {list.hasMore.value && ", more load as you scroll"}
        </span>
      </footer>
    </main>
  );
}

const hints: [string[], string][] = [
  [["j", "k"], "Move"],
  [["Enter"], "Open"],
  [["x"], "Show error"],
  [["/"], "Filter"],
  [["s"], "Sort"],
  [["n"], "Start run"],
  [["?"], "All shortcuts"],
];

/** The id of the run whose row has the focus. */
function focusedRun(): string | undefined {
  return document.activeElement?.closest<HTMLElement>("[data-row]")?.dataset["row"];
}

/** Whether new runs can be inserted: the reader is at the top, and no row has the focus. */
function isAtTop(): boolean {
  return scrollY < 8 && focusedRun() === undefined;
}

/** Loads the next page when it comes into view; from a number of rows on, by a click. */
function More({ list }: { list: RunList }) {
  const end = useRef<HTMLDivElement>(null);
  const error = list.moreError.value;
  const byScrolling = error === undefined && (list.runs.value?.length ?? 0) < rowsByScrolling;
  useEffect(() => {
    if (!end.current || !byScrolling) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) void list.loadMore();
      },
      { rootMargin: "600px" },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [list, byScrolling, list.runs.value?.length]);
  if (error !== undefined) {
    return (
      <div class="more">
        <p class="note bad" role="alert">
          <Icon name="warning" />
          {error}
        </p>
        <Button onClick={() => void list.loadMore()}>Retry</Button>
      </div>
    );
  }
  return (
    <div ref={end} class="more">
      {byScrolling ? <Loading rows={3} /> : <Button onClick={() => void list.loadMore()}>Load 50 more</Button>}
    </div>
  );
}

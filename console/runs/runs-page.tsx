import { useLocation } from "preact-iso/router";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatNumber } from "../format.ts";
import { blocked } from "../state/blocked.ts";
import { openStart } from "../state/dialogs.ts";
import { keyNames, useShortcuts } from "../state/keyboard.ts";
import { organization } from "../state/organization.ts";
import { useQuery } from "../state/url.ts";
import { Button } from "../ui/button.tsx";
import { Loading } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { apiQuery, filterStates, parseFilters } from "./filters.ts";
import { FirstRun } from "./first-run.tsx";
import { NoMatch } from "./no-match.tsx";
import { RunList, rowsByScrolling } from "./run-list.ts";
import { RunRows } from "./run-rows.tsx";
import { StatusTabs } from "./status-tabs.tsx";
import { Today } from "./today.tsx";

/** The list of runs: live, with filters in the address. */
export function RunsPage() {
  const [query] = useQuery();
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
  useEffect(() => void (document.title = "Runs · Agent Run Service"), []);

  const runs = list.runs.value;
  const [current, setCurrent] = useState(0);
  const [toggled, setToggled] = useState<Record<string, boolean>>({});
  const newestError = runs?.find(({ state }) => state === "technical_error")?.id;
  const open = new Set(
    (runs ?? [])
      .filter(({ id }) => toggled[id] ?? (id === newestError && toggled[id] === undefined))
      .map(({ id }) => id),
  );
  const toggle = (id: string | undefined): void => {
    if (id !== undefined) setToggled({ ...toggled, [id]: !open.has(id) });
  };
  const openRun = (id: string | undefined, inNewTab: boolean): void => {
    if (id === undefined) return;
    if (inNewTab) window.open(`/console/runs/${id}`, "_blank", "noopener");
    else route(`/console/runs/${id}`);
  };
  const move = (step: number): void => {
    const focused = document.activeElement?.closest("[data-row]") !== null;
    const next = Math.max(0, Math.min((runs?.length ?? 1) - 1, focused ? current + step : current));
    setCurrent(next);
    document.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus();
  };
  useShortcuts("Lists", [
    { keys: "j", label: "Next row", run: () => move(1) },
    { keys: "k", label: "Previous row", run: () => move(-1) },
    { keys: "Enter", label: "Open", run: () => openRun(runs?.[current]?.id, false) },
    { keys: "mod+Enter", label: "Open in a new tab", run: () => openRun(runs?.[current]?.id, true) },
    { keys: "x", label: "Show error", run: () => toggle(runs?.[current]?.id) },
    { keys: ".", label: "Show new runs", run: () => list.showArrived() },
  ]);

  const counts = list.counts.value;
  const total = counts && filterStates.reduce((sum, state) => sum + counts[state], 0);
  const isFirstRun = runs?.length === 0 && total === 0 && !filters.status && !filters.agent && !filters.text;
  const arrived = list.arrived.value.length;
  const reason = blocked("start runs");
  return (
    <main class="page runs-page">
      <div class="page-head">
        <h1>Runs</h1>
        {!isFirstRun && (
          <div class="actions">
            {reason !== undefined && <span class="muted">{reason}</span>}
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
          <FilterBar filters={filters}>{organization.value && <Today organization={organization.value} />}</FilterBar>
          <p class="visually-hidden" role="status">
            {arrived > 0 && `${arrived} new ${arrived === 1 ? "run" : "runs"}`}
          </p>
          <section class="panel runs-panel" aria-label="Runs">
            {arrived > 0 && (
              <button type="button" class="arrived" onClick={() => list.showArrived()}>
                <Icon name="upload" />
                {arrived} new {arrived === 1 ? "run" : "runs"}
              </button>
            )}
            {list.error.value && !runs && (
              <p class="note bad" role="alert">
                <Icon name="warning" />
                {list.error.value.message}
              </p>
            )}
            {!runs && !list.error.value && <Loading />}
            {runs && runs.length === 0 && <NoMatch filters={filters} organizationId={organizationId} query={query} />}
            {runs && runs.length > 0 && (
              <RunRows
                runs={runs}
                stale={list.stale.value}
                current={Math.min(current, runs.length - 1)}
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
          {runs &&
            `${formatNumber(runs.length)} of ${total === undefined ? "…" : formatNumber(total)}${counts?.complete === false ? "+" : ""} shown`}
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
  [["n"], "Start run"],
  [["?"], "All shortcuts"],
];

/** Whether new runs can be inserted: the reader is at the top, and no row has the focus. */
function isAtTop(): boolean {
  return scrollY < 8 && !document.activeElement?.closest("[data-row]");
}

/** Loads the next page when it comes into view; from a number of rows on, by a click. */
function More({ list }: { list: RunList }) {
  const end = useRef<HTMLDivElement>(null);
  const byScrolling = (list.runs.value?.length ?? 0) < rowsByScrolling;
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
  return (
    <div ref={end} class="more">
      {byScrolling ? <Loading rows={3} /> : <Button onClick={() => void list.loadMore()}>Load 50 more</Button>}
    </div>
  );
}

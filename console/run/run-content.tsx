import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { openStart } from "../state/dialogs.ts";
import { useShortcuts } from "../state/keyboard.ts";
import { blocked } from "../state/blocked.ts";
import { useQuery } from "../state/url.ts";
import { copyAndSay } from "../ui/copy-button.tsx";
import { loadLater } from "../ui/load-later.tsx";
import { withStyle } from "../ui/load-style.ts";
import { toast } from "../ui/dialogs/toast.tsx";
import type { RunApi, RunDetail, RunReader } from "./api.ts";
import type { ExportFormat } from "./export/export-formats.ts";
import type { RunDialog } from "./header/actions.tsx";
import { RunHeader } from "./header/header.tsx";
import { Inspector } from "./inspector/inspector.tsx";
import { tabAt, tabsOf } from "./inspector/tabs.ts";
import { oneColumn } from "./one-column.ts";
import type { RunStore } from "./run-store.ts";
import { neighbour, parsePlace } from "./selection.ts";
import type { TimelineHandle } from "./timeline/timeline.tsx";
import { TimelinePanel } from "./timeline/timeline-panel.tsx";
import { visibleRows } from "./timeline/rows/visible-rows.ts";

const HintBar = loadLater(() => import("./hint-bar.tsx").then((module) => module.HintBar));
const RunDialogs = loadLater(() => withStyle(import("./dialogs/run-dialogs.tsx")).then((module) => module.RunDialogs));

interface Props {
  store: RunStore;
  api: RunReader;
  /** Undefined: the run is only read. */
  control?: RunApi;
  detail: RunDetail;
  onDeleted: () => void;
}

/** A loaded run: header, timeline and inspector. What is selected and shown is in the URL. */
export function RunContent({ store, api, control, detail, onDeleted }: Props) {
  const [query, setQuery] = useQuery();
  const [dialog, setDialog] = useState<RunDialog>();
  // The turn that was stopped: another one can follow.
  const [stopped, setStopped] = useState<number>();
  const [cursor, setCursor] = useState(0);
  // Keys can be pressed faster than the page is rendered.
  const latestCursor = useRef(cursor);
  latestCursor.current = cursor;
  const timeline = useRef<TimelineHandle>(null);
  const page = useRef<HTMLElement>(null);
  const version = store.version.value;
  const filter = { messages: query["view"] === "messages", errors: query["errors"] === "1" };
  const rows = useMemo(() => visibleRows(store.model.rows, filter), [store, version, filter.messages, filter.errors]);
  const at = query["at"];
  useLayoutEffect(() => {
    store.at.value = at;
  }, [store, at]);
  // Another choice of rows shows all as they are recorded.
  useLayoutEffect(() => {
    store.grown.value = new Map();
  }, [store, filter.messages, filter.errors]);
  const find = query["find"] ?? "";
  useLayoutEffect(() => {
    store.find.value = find;
  }, [store, find]);

  const indexOf = (turn: number, step: number): number =>
    rows.findIndex((row) => row.kind === "step" && row.step.turn === turn && row.step.step === step);

  // A selection from the URL or another tab is scrolled to; one by a click is on screen. Of a run that has ended, so is the
  // step that the inspector shows at first, unless it is hidden.
  const loaded = store.loaded.value;
  // Chosen once: a result that arrives does not take the reader away from a call.
  const firstTab = useMemo(() => tabsOf(store.model)[0]?.id, [store, loaded]);
  const tab = tabAt(store.model, query["tab"]) ?? (at === undefined ? firstTab : undefined) ?? "call";
  useEffect(() => {
    const place =
      parsePlace(at) ?? (detail.status === "running" || oneColumn() ? undefined : store.selected.peek()?.step);
    const index = place ? indexOf(place.turn, place.step) : -1;
    if (!loaded || index < 0) return;
    if (at !== undefined) store.follow.value = false;
    setCursor(index);
    timeline.current?.scrollToRow(index);
  }, [loaded, at]);

  const select = (by: 1 | -1): void => {
    const place = neighbour(store.model, store.selected.value, by);
    if (place) store.select(place);
  };
  const move = (by: 1 | -1): void => {
    const index = Math.min(rows.length - 1, Math.max(0, latestCursor.current + by));
    store.follow.value = false;
    latestCursor.current = index;
    setCursor(index);
    timeline.current?.focusRow(index);
  };
  const follow = (): void => {
    store.follow.value = !store.follow.value;
    if (store.follow.value) timeline.current?.scrollToEnd();
  };
  const save = async (format: ExportFormat | "bundle"): Promise<void> => {
    try {
      toast("Exporting…");
      await (await import("./export/export-run.ts")).exportRun(api, detail, format);
    } catch (error) {
      toast(`The run was not exported: ${(error as Error).message}`);
    }
  };
  const runAgain = (): void => {
    if (blocked("start runs") === undefined) openStart({ from: detail.id });
  };
  const changes = [
    {
      keys: "i",
      label: "Send input",
      run: () => {
        if (blocked("send inputs", detail.organization_id) === undefined && canTakeInput(detail)) setDialog("input");
      },
    },
    { keys: "r", label: "Run again", run: runAgain },
  ];
  useShortcuts("Run", [
    { keys: "[", label: "Previous step", run: () => select(-1) },
    { keys: "]", label: "Next step", run: () => select(1) },
    { keys: "j", label: "Next row", run: () => move(1) },
    { keys: "k", label: "Previous row", run: () => move(-1) },
    { keys: "e", label: "Errors only", run: () => setQuery({ errors: filter.errors ? undefined : "1" }) },
    { keys: "f", label: "Follow live", run: follow },
    {
      keys: "t",
      label: "Unfold or fold the thinking of all steps",
      run: () => (store.unfolded.value = { all: !store.unfolded.value.all, except: new Set() }),
    },
    ...tabsOf(store.model).map(({ id, name }, index) => ({
      keys: String(index + 1),
      label: `Show ${name}`,
      run: () => setQuery({ tab: id }),
    })),
    ...(control ? changes : []),
  ]);

  return (
    <main ref={page} class={`run-page${at !== undefined || query["tab"] !== undefined ? " inspecting" : ""}`}>
      <RunHeader
        store={store}
        detail={detail}
        readOnly={!control}
        stopping={stopped === detail.turn}
        onOpen={setDialog}
        onAgain={runAgain}
        onLink={() => copyAndSay(location.href, "Link copied")}
        onExport={(format) => void save(format)}
      />
      <div class="run-panels">
        <TimelinePanel
          store={store}
          detail={detail}
          readOnly={!control}
          rows={rows}
          filter={filter}
          cursor={cursor}
          onCursor={setCursor}
          handle={timeline}
        />
        <Inspector
          store={store}
          api={api}
          control={control}
          detail={detail}
          tab={tab}
          onStep={select}
          onBack={() => setQuery({ at: undefined, tab: undefined })}
        />
      </div>
      <HintBar store={store} readOnly={!control} />
      {control && dialog !== undefined && (
        <RunDialogs
          dialog={dialog}
          store={store}
          api={control}
          detail={detail}
          onClose={() => setDialog(undefined)}
          onStopped={() => setStopped(detail.turn)}
          onDeleted={onDeleted}
        />
      )}
    </main>
  );
}

function canTakeInput({ state, imported_from }: RunDetail): boolean {
  return !imported_from && state !== "terminated" && state !== "technical_error";
}

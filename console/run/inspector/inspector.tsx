import { useEffect, useRef } from "preact/hooks";
import { useQuery } from "../../state/url.ts";
import { Button } from "../../ui/fields/button.tsx";
import { copyAndSay } from "../../ui/copy-button.tsx";
import { loadLater } from "../../ui/load-later.tsx";
import { withStyle } from "../../ui/load-style.ts";
import type { RunApi, RunDetail, RunReader } from "../api.ts";
import { useLoaded } from "../files/use-loaded.ts";
import { lastResult } from "../model/last-result.ts";
import type { RunStore } from "../run-store.ts";
import { formatPlace, parsePlace, placeName } from "../selection.ts";
import { ToolName } from "../text/tool-name.tsx";
import { ResizeHandle } from "./resize-handle.tsx";
import { type TabId, tabsOf } from "./tabs.ts";

const CallTab = loadLater(() => withStyle(import("./call-tab.tsx")).then((module) => module.CallTab));
const CostTab = loadLater(() => withStyle(import("./cost-tab.tsx")).then((module) => module.CostTab));
const FilesTab = loadLater(() => withStyle(import("../files/files-tab.tsx")).then((module) => module.FilesTab));
const ResultTab = loadLater(() => withStyle(import("../result/result-tab.tsx")).then((module) => module.ResultTab));
const ToolsTab = loadLater(() => withStyle(import("./tools-tab.tsx")).then((module) => module.ToolsTab));

interface Props {
  store: RunStore;
  api: RunReader;
  /** Undefined: the run is only read. */
  control: RunApi | undefined;
  detail: RunDetail;
  tab: TabId;
  /** Selects the next step (1) or the one before (-1). */
  onStep: (by: 1 | -1) => void;
  /** Goes back to the timeline, on small screens. */
  onBack: () => void;
}

/** The selected call, and what the whole run did: result, tools, files, cost. */
export function Inspector({ store, api, control, detail, tab, onStep, onBack }: Props) {
  const [query, setQuery] = useQuery();
  const panel = useRef<HTMLDivElement>(null);
  const selected = store.selected.value;
  const place = selected && { ...selected.step, ...(selected.call && { call: selected.call.index }) };
  const key = place && `${place.turn}.${place.step}.${selected?.call?.index}`;
  useEffect(() => panel.current?.scrollTo(0, 0), [key, tab]);
  return (
    <aside class="run-inspector" aria-label="Inspector">
      <ResizeHandle />
      <div class="run-inspector-head">
        <span class="run-back">
          <Button kind="plain" size="small" icon="left" label="Back to the timeline" onClick={onBack} />
        </span>
        <h2 class="cut">
          {selected ? placeName(store.model, selected.step) : "Step"}
          {selected?.call && (
            <>
              {" "}
              <span class="muted">/</span> <ToolName name={selected.call.name} />
            </>
          )}
        </h2>
        <Button kind="plain" size="small" icon="left" label="Previous step" onClick={() => onStep(-1)} />
        <Button kind="plain" size="small" icon="right" label="Next step" onClick={() => onStep(1)} />
        <Button
          kind="plain"
          size="small"
          icon="link"
          label="Copy link to this step"
          onClick={() => copyAndSay(linkTo(selected && formatPlace(placeOf(selected))), "Link copied")}
        />
      </div>
      <TabList
        store={store}
        api={api}
        tab={tab}
        // In one column, a place or a tab in the address opens the inspector.
        onTab={(id) => setQuery({ tab: id === "call" && query["at"] !== undefined ? undefined : id })}
      />
      <div ref={panel} class="run-panel" role="tabpanel" id="run-panel" aria-labelledby={`run-tab-${tab}`} tabIndex={0}>
        {tab === "result" && <ResultTab view={store} />}
        {tab === "call" && <CallTab view={store} control={control} detail={detail} />}
        {tab === "tools" && <ToolsTab view={store} />}
        {tab === "files" && (
          <FilesTab
            view={store}
            api={api}
            choice={{ at: query["files"] ?? stepAt(query["at"]), compared: query["with"], name: query["file"] }}
            onChoose={(choice) => {
              setQuery({
                ...("at" in choice && { files: choice.at }),
                ...("compared" in choice && { with: choice.compared }),
                ...("name" in choice && { file: choice.name }),
              });
            }}
          />
        )}
        {tab === "cost" && <CostTab view={store} detail={detail} />}
      </div>
    </aside>
  );
}

/** The selected step, without its call: its files are shown at first. */
function stepAt(at: string | undefined): string | undefined {
  const place = parsePlace(at);
  return place && formatPlace({ turn: place.turn, step: place.step });
}

function placeOf({ step, call }: NonNullable<RunStore["selected"]["value"]>): {
  turn: number;
  step: number;
  call?: number;
} {
  return { turn: step.turn, step: step.step, ...(call && { call: call.index }) };
}

/** The address of this page with a place selected. */
function linkTo(at: string | undefined): string {
  const url = new URL(location.href);
  if (at !== undefined) url.searchParams.set("at", at);
  return url.href;
}

interface TabListProps {
  store: RunStore;
  api: RunReader;
  tab: TabId;
  onTab: (id: TabId) => void;
}

function TabList({ store, api, tab, onTab }: TabListProps) {
  void store.version.value;
  const { model } = store;
  const files = useLoaded(`files ${model.fileSteps.length}`, () => api.files(undefined));
  const counts: Partial<Record<TabId, number>> = {
    tools: model.calls,
    ...(files.value && { files: files.value.length }),
  };
  const tabs = tabsOf(model);
  const fits = lastResult(model)?.step.problems?.length === 0;
  const move = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    const next = tabs.at((tabs.findIndex(({ id }) => id === tab) + by) % tabs.length);
    if (!next) return;
    onTab(next.id);
    document.querySelector<HTMLElement>(`#run-tab-${next.id}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Inspector" onKeyDown={move}>
      {tabs.map(({ id, name }) => (
        <button
          key={id}
          id={`run-tab-${id}`}
          type="button"
          role="tab"
          aria-selected={id === tab}
          aria-controls="run-panel"
          tabIndex={id === tab ? 0 : -1}
          onClick={() => onTab(id)}
        >
          {name}
          {id === "result" && <span class={`badge ${fits ? "ok" : "bad"}`}>{fits ? "fits" : "does not fit"}</span>}
          {counts[id] !== undefined && <span class="count">{counts[id].toLocaleString("en")}</span>}
        </button>
      ))}
    </div>
  );
}

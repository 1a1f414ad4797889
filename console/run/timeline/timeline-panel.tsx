import { useLayoutEffect, useRef } from "preact/hooks";
import { loadLater } from "../../ui/load-later.tsx";
import { withStyle } from "../../ui/load-style.ts";
import type { RunDetail } from "../api.ts";
import type { Row } from "../model/run-model-types.ts";
import type { RunStore } from "../run-store.ts";
import { gridOf } from "./axis-head.tsx";
import { Tail } from "./rows/tail.tsx";
import { Timeline, type TimelineHandle } from "./timeline.tsx";
import { TimelineBar } from "./timeline-bar.tsx";
import { type RowFilter, rowAt } from "./rows/visible-rows.ts";

const Minimap = loadLater(() => import("./minimap.tsx").then((module) => module.Minimap));
const FollowDock = loadLater(() => withStyle(import("./follow-dock.tsx")).then((module) => module.FollowDock));

interface Props {
  store: RunStore;
  detail: RunDetail;
  /** The reader has nothing but this run. */
  readOnly: boolean;
  rows: Row[];
  filter: RowFilter;
  cursor: number;
  onCursor: (index: number) => void;
  handle: { current: TimelineHandle | null };
}

/** The left side: what is shown, minimap, rows, and the bar that returns to the live end. */
export function TimelinePanel({ store, detail, readOnly, rows, filter, cursor, onCursor, handle }: Props) {
  const panel = useRef<HTMLElement>(null);
  const grid = gridOf(store);
  useLayoutEffect(() => {
    panel.current?.style.setProperty("--tick-distance", grid.distance);
    panel.current?.style.setProperty("--tick-offset", grid.offset);
  }, [grid.distance, grid.offset]);

  return (
    <section ref={panel} class="run-left" aria-label="Steps">
      <h2 class="visually-hidden">Steps</h2>
      <TimelineBar store={store} rows={rows} filter={filter} handle={handle} onCursor={onCursor} />
      <div class="run-minimap-box">
        <Minimap
          view={store}
          frame={store.frame}
          length={store.length.value}
          onJump={(place) => {
            store.follow.value = false;
            handle.current?.showFrom(rowAt(rows, store.model.time.timeAt(place)));
          }}
          onZoom={() => (store.zoomed.value = !store.zoomed.value)}
        />
      </div>
      <Timeline
        view={store}
        rows={rows}
        cursor={cursor}
        onCursor={onCursor}
        onFrame={(frame) => store.show(frame)}
        tail={
          <Tail
            store={store}
            detail={detail}
            readOnly={readOnly}
            shown={!filter.messages && !filter.errors}
            empty={rows.length === 0}
          />
        }
        handle={handle}
      />
      {store.running.value && !store.follow.value && <FollowDock store={store} detail={detail} handle={handle} />}
    </section>
  );
}

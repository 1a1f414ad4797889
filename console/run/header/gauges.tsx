import { formatDuration } from "../../format.ts";
import { Gauge } from "../../ui/gauge.tsx";
import type { RunDetail } from "../api.ts";
import { workedMs } from "../model/waiting.ts";
import type { RunStore } from "../run-store.ts";
import { gaugesOf } from "./limits.ts";

/** What the run used: time, steps, tokens, dollars, against the limits of its turn and its own. */
export function Gauges({ store, detail }: { store: RunStore; detail: RunDetail }) {
  const live = store.running.value;
  const turnMs = turnTime(store, detail, live);
  const open = detail.status === "running";
  const worked = detail.usage.milliseconds + (open ? turnMs : 0);
  const end = live ? store.now.value : Date.parse(detail.updated_at);
  const elapsed = Math.max(0, end - Date.parse(detail.created_at));
  const priced = detail.usage.dollars > 0 || detail.limits.turn?.dollars != null || detail.limits.run?.dollars != null;
  return (
    <div class="run-gauges">
      <div class="gauge plain">
        <span class="label">Elapsed</span>
        <span class="value">
          <b>{formatDuration(elapsed)}</b>
        </span>
        <span class="note-line">worked {formatDuration(worked)}</span>
      </div>
      {gaugesOf(detail, turnMs, priced).map((gauge) => (
        <Gauge key={gauge.label} {...gauge} live={live} />
      ))}
    </div>
  );
}

/** Milliseconds of the current turn. While it waits for answers, those until then. */
function turnTime({ now, model, version, waiting }: RunStore, detail: RunDetail, live: boolean): number {
  const last = waiting.value && version.value >= 0 ? model.turns.at(-1) : undefined;
  if (last) return workedMs(last) ?? 0;
  if (!live || detail.turn_started_at === null) return detail.turn_usage.milliseconds;
  return Math.max(0, now.value - Date.parse(detail.turn_started_at));
}

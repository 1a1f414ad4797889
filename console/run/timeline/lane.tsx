import type { Step } from "../model/run-model-types.ts";
import type { RunView } from "../view.ts";
import { type Bar, barsOf } from "./bars.ts";

/** Tracks for tool calls below the model call. Further calls share them. */
const tracks = 6;

/** The bars of a step on the time axis. */
export function Lane({ step, view }: { step: Step; view: RunView }) {
  void view.version.value;
  const selected = view.selected.value;
  const live = !step.answered || step.calls.some(({ result }) => !result);
  // Only a live step reads the clock, so that the others do not render every second.
  const now = live && view.running.value ? view.now.value : 0;
  const bars = barsOf(step, view.model.time, view.range.value, now);
  const shown = bars.filter(({ left, width }) => left <= 1 && left + width >= 0);
  return (
    <div class="run-lane" aria-hidden="true">
      {shown.slice(0, 40).map((bar) => (
        <i
          class={classOf(bar, step, selected?.step === step)}
          style={{ left: percent(bar.left), width: percent(bar.width), top: topOf(bar) }}
        />
      ))}
    </div>
  );
}

function classOf({ kind, call }: Bar, step: Step, selected: boolean): string {
  const live = call === undefined ? kind === "model" && !step.answered : !step.calls[call]?.result;
  return `run-bar ${kind}${selected || live ? " active" : ""}`;
}

function topOf({ call }: Bar): string {
  return call === undefined ? "0" : `calc(var(--bar-tools) + ${call % tracks} * var(--bar-track))`;
}

function percent(fraction: number): string {
  return `${(Math.min(1, Math.max(0, fraction)) * 100).toFixed(2)}%`;
}

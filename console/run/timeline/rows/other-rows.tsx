import type { ComponentChildren } from "preact";
import { formatClock, formatDollars, formatDuration } from "../../../format.ts";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import type { ForkedEvent, SummaryEvent } from "../../../api/types.ts";
import type { Gap, Turn } from "../../model/run-model-types.ts";
import { workedMs } from "../../model/waiting.ts";
import { count, endedText, gapText } from "../../text/words.ts";
import type { RunView } from "../../view.ts";

/** "Turn 1 finished in 1 m 05 s, $0.133" */
export function TurnRow({ turn, view }: { turn: Turn; view: RunView }) {
  void view.version.value;
  const last = view.model.turns.at(-1) === turn;
  const open = last && view.running.value;
  const { dollars } = turn;
  const waits = last && view.waiting.value;
  const took = (last && view.lastTurnTime.value) || workedMs(turn); // 0: of an earlier release
  const state = waits
    ? "waiting for an answer"
    : open
      ? "in progress"
      : turn.output
        ? "finished"
        : "ended without output";
  const parts = [
    took === undefined || open || waits ? state : `${state} in ${formatDuration(took)}`,
    count(turn.steps.length, "step"),
    ...(dollars === undefined ? [] : [formatDollars(dollars)]),
  ];
  return (
    <p class="run-turn">
      <strong>Turn {turn.turn}</strong> {parts.join(", ")}
    </p>
  );
}

/** A recorded interruption. The row has torn edges. */
export function GapRow({ gap, view }: { gap: Gap; view: RunView }) {
  void view.version.value;
  return (
    <Note icon="bolt" kind="gap">
      <strong>Interrupted</strong>: <bdi>{gapText(gap, formatDuration)}</bdi>
    </Note>
  );
}

export function IdleRow({ from, until }: { from: number; until: number }) {
  return (
    <p class="run-idle">
      <span>
        {formatDuration(until - from)} idle, until {formatClock(until)}
      </span>
    </p>
  );
}

export function SummaryRow({ summary }: { summary: SummaryEvent }) {
  const took = summary.milliseconds === null ? "" : ` in ${formatDuration(summary.milliseconds)}`;
  const cost = summary.dollars === null ? "" : `, ${formatDollars(summary.dollars)}`;
  return (
    <Note icon="summary" kind="summary">
      <strong>Context summarized</strong>
      {took}
      {cost}. {count(summary.messages, "message")} replaced by one.
    </Note>
  );
}

/** The rows before it are of another run. */
export function ForkedRow({ forked: { turn, step, from_run: from } }: { forked: ForkedEvent }) {
  return (
    <Note icon="link" kind="summary">
      <strong>Forked</strong> from{" "}
      <a class="mono" href={`/console/runs/${from}?at=${turn}.${step || 1}`}>
        …{from.slice(-8)}
      </a>
      , which the rows before are of.
    </Note>
  );
}

export function LimitRow({ reason }: { reason: string }) {
  return (
    <Note icon="warning" kind="limit">
      {endedText(reason)}
    </Note>
  );
}

/** A line across the timeline about what happened between two steps. */
export function Note({ icon, kind, children }: { icon: IconName; kind: string; children: ComponentChildren }) {
  return (
    <p class={`run-note ${kind}`}>
      <Icon name={icon} />
      <span>{children}</span>
    </p>
  );
}

import { pause } from "../../async/backoff.ts";
import type { RunDescriber, RunDetail } from "./describe-runs.ts";
import type { CallOutput, LiveOutput } from "./live-output.ts";
import type { Runs } from "../ports.ts";
import type { RunStatus } from "../status.ts";
import type { Run, RunEvent } from "../types.ts";

/**
 * What happens to a watched run. `unchanged`: nothing, since the last look. `ended`: the status of a run at rest. `output`:
 * what a call in progress has printed.
 */
export type RunUpdate =
  | { run: RunDetail }
  | { events: RunEvent[] }
  | { output: CallOutput }
  | { ended: RunStatus }
  | "unchanged";

export interface WatchOptions {
  /** Number of the last event that is not wanted. Undefined: all, with those of earlier versions, which have no number. */
  after?: number;
  /** Poll interval, in milliseconds. Undefined: the watch ends after the recorded events. */
  interval?: number;
  /** The watch ends with `ended` as soon as the run is not running and all its events were reported. */
  untilEnded?: boolean;
  /** Absent: the output of calls in progress is not reported. */
  live?: LiveOutput;
  signal: AbortSignal;
}

interface Deps {
  runs: Runs;
  describer: RunDescriber;
  now: () => number;
}

/** Events per read. */
const pageLimit = 100;

/**
 * Yields a run, its events in order, and from then on new events and the run whenever it has changed. A poll of an
 * unchanged run costs one read of its head. Ends when `signal` aborts, or when the run has expired.
 */
export async function* watchRun(
  { runs, describer, now }: Deps,
  id: string,
  { after, interval, untilEnded, live, signal }: WatchOptions,
): AsyncGenerator<RunUpdate> {
  let last = after ?? 0;
  let shown: RunDetail | undefined;
  let printed: readonly CallOutput[] = [];
  while (!signal.aborted) {
    const head = await runs.head(id);
    if (!head) return;
    if (!shown) {
      shown = await describer.detail(head);
      yield { run: shown };
      if (after === undefined) yield { events: await runs.listUnnumberedEvents(id) };
    }
    const before = last;
    while (last < head.sequence) {
      const events = await runs.listEvents(id, last, pageLimit);
      const newest = events.at(-1);
      if (!newest) break;
      last = newest.sequence;
      yield { events };
    }
    const printing = live?.of(id) ?? [];
    for (const output of printing) if (!printed.includes(output)) yield { output };
    printed = printing;
    const changed = await changesOf(describer, shown, head, now());
    if (changed) {
      shown = changed;
      yield { run: shown };
    } else if (before === last) yield "unchanged";
    if (untilEnded && head.status !== "running") return yield { ended: head.status };
    if (interval === undefined) return;
    await pause(interval, signal).catch(() => {});
  }
}

/** The run as it is now. Undefined: it is as it was shown. What it does can change with time, too. */
async function changesOf(
  describer: RunDescriber,
  shown: RunDetail,
  head: Run,
  now: number,
): Promise<RunDetail | undefined> {
  if (JSON.stringify(head) !== JSON.stringify(shown.run)) return describer.detail(head);
  const { activity: before, ...rest } = shown;
  const activity = describer.activityOf(head, now);
  if (JSON.stringify(activity) === JSON.stringify(before)) return undefined;
  return { ...rest, ...(activity && { activity }) };
}

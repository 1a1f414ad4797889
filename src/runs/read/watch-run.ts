import { pause } from "../../async/backoff.ts";
import type { RunDescriber, RunDetail } from "./describe-runs.ts";
import type { LiveText } from "./live-text.ts";
import type { TextDelta } from "./search/written-text.ts";
import type { CallOutput, LiveOutput } from "./live-output.ts";
import type { Uses } from "../ports.ts";
import type { RunStatus } from "../status.ts";
import type { Run, RunEvent } from "../run-types.ts";

/**
 * What happens to a watched run. `unchanged`: nothing, since the last look. `ended`: the status of a run at rest. `output`:
 * what a call in progress has printed. `delta`: text that a model has written, and `thinking`: what it thinks before that.
 * Both are from character `from` on. 0: the text begins, or begins again. After the end of what was reported before: what is
 * between is not kept. The recorded answer replaces them.
 */
export type RunUpdate =
  | { run: RunDetail }
  | { events: RunEvent[] }
  | { output: CallOutput }
  | { delta: TextDelta }
  | { thinking: TextDelta }
  | { ended: RunStatus }
  | "unchanged";

export interface WatchOptions {
  /** Number of the last event that is not wanted. Undefined: all. */
  after?: number;
  /** Milliseconds until the next look. Absent: the watch ends after the recorded events. */
  interval?: () => number;
  /** The watch ends with `ended` as soon as the run is not running and all its events were reported. */
  untilEnded?: boolean;
  /** Absent: the output of calls in progress is not reported. */
  live?: LiveOutput;
  /** Absent: the text of answers in progress is not reported. */
  texts?: Pick<LiveText, "of" | "changed">;
  signal: AbortSignal;
}

type Watched = Uses<"runs" | "now"> & { describer: RunDescriber };

/** Events per read. */
const pageLimit = 100;

/**
 * Yields a run, its events in order, and from then on new events and the run whenever it has changed. A poll of an
 * unchanged run costs one read of its head. Ends when `signal` aborts, or when the run has expired.
 */
export async function* watchRun(
  { runs, describer, now }: Watched,
  id: string,
  { after, interval, untilEnded, live, texts, signal }: WatchOptions,
): AsyncGenerator<RunUpdate> {
  let last = after ?? 0;
  let shown: RunDetail | undefined;
  let printed: readonly CallOutput[] = [];
  const [textReader, thinkingReader] = [newTextReader(), newTextReader()];
  while (!signal.aborted) {
    const head = await runs.head(id);
    if (!head) return;
    if (!shown) {
      shown = await describer.detail(head);
      yield { run: shown };
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
    }
    // Events that the head does not count can have the recorded answer.
    const written = last <= head.sequence ? await texts?.of(id, shown.activity) : undefined;
    const thinking = thinkingReader(written?.thinking && { ...written, ...written.thinking });
    if (thinking) yield { thinking };
    const delta = textReader(written);
    if (delta) yield { delta };
    if (!changed && before === last && !delta && !thinking) yield "unchanged";
    if (untilEnded && head.status !== "running") return yield { ended: head.status };
    if (interval === undefined) return;
    await (texts ? texts.changed(id, interval(), signal) : pause(interval(), signal).catch(() => {}));
  }
}

/** Returns a function that tells what of a text is new since it was last called. A text that was thinking is taken back: "". */
function newTextReader(): (written: TextDelta | undefined) => TextDelta | undefined {
  let shown: TextDelta | undefined;
  return (written) => {
    if (!written) return undefined;
    const { turn, step, from, text } = written;
    const before = shown?.turn === turn && shown.step === step && shown.text !== "" ? shown : undefined;
    if (text === "" && !before) return undefined;
    const known = before ? knownOf(written, before) : 0;
    shown = written;
    return text !== "" && known === text.length
      ? undefined
      : { turn, step, from: from + known, text: text.slice(known) };
  };
}

/** Characters at the beginning of a text that were shown. 0: it does not continue what was shown. */
function knownOf({ from, text }: TextDelta, shown: TextDelta): number {
  const shownBefore = from - shown.from;
  if (shownBefore < 0 || shownBefore > shown.text.length) return 0;
  const known = shown.text.slice(shownBefore);
  return text.startsWith(known) ? known.length : 0;
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

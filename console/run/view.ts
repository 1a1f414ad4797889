import type { ReadonlySignal, Signal } from "@preact/signals";
import type { RunModel } from "./model/run-model.ts";
import type { Place, Selected } from "./selection.ts";
import type { FullTexts } from "./text/full-texts.ts";
import type { Unfolded } from "./text/unfolded.ts";
import type { Range } from "./timeline/axis.ts";
import type { Written } from "./written.ts";

/** What the parts of the page share: the run, and the choices of its reader. */
export interface RunView {
  model: RunModel;
  /**
   * Raised when events were added to the model, which changes in place. Each component that draws a part of the model reads
   * it: a component that reads signals is not rendered again with the same properties.
   */
  version: ReadonlySignal<number>;
  /** The service's time, in milliseconds since 1970. Moves only while the run works. */
  now: ReadonlySignal<number>;
  /** Whether a turn is in progress. */
  running: ReadonlySignal<boolean>;
  /** Whether the turn waits for answers to tool calls. */
  waiting: ReadonlySignal<boolean>;
  /** Milliseconds of the last turn, as the service counts them. Undefined: it is in progress. */
  lastTurnTime: ReadonlySignal<number | undefined>;
  selected: ReadonlySignal<Selected | undefined>;
  /** The part of the time axis that lane and cells show. */
  range: ReadonlySignal<Range>;
  /** Pixels of the lane on screen. */
  laneWidth: Signal<number>;
  /** Whether the lane shows only what is on screen. */
  zoomed: Signal<boolean>;
  texts: FullTexts;
  /** Whether the timeline stays at its end while the run continues. */
  follow: Signal<boolean>;
  /** Whose reasoning the timeline shows. */
  unfolded: Signal<Unfolded>;
  /** The step whose text grows on screen, as in the URL. */
  growing: string | undefined;
  /** Steps whose text has grown on screen, as in the URL. It stays as it is when it is recorded, so that nothing moves. */
  grown: ReadonlySignal<ReadonlyMap<string, Written>>;
  /** The text that the reader looks for in the run. "": none. */
  find: ReadonlySignal<string>;
  select(place: Place): void;
}

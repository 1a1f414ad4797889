import { batch, computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { connection } from "../api/connection.ts";
import type { RunReader, RunDetail } from "./api.ts";
import type { CallOutput, RunEvent } from "../api/types.ts";
import { RunModel } from "./model/run-model.ts";
import { retried } from "./retry.ts";
import { findSelected, formatPlace, initialPlace, parsePlace, type Place, type Selected } from "./selection.ts";
import { FullTexts } from "./text/full-texts.ts";
import { noneUnfolded } from "./text/unfolded.ts";
import { type Range, widestLane } from "./timeline/axis.ts";
import type { RunView } from "./view.ts";
import type { Written } from "./written.ts";

/** How often what depends on the time is drawn again while the run works. Milliseconds. */
const tick = 500;

/** How long the lane waits for further scrolling before it shows what is on screen. Milliseconds. */
const laneDelay = 100;

/** From this number of steps on, the lane at first shows only what is on screen: the bars would be points. */
const zoomedFrom = 60;

/** A run that is open in the page: loads it, and keeps it up to date until it is closed. */
export class RunStore implements RunView {
  readonly model = new RunModel();
  readonly version = signal(0);
  readonly now = signal(Date.now());
  readonly detail = signal<RunDetail | undefined>(undefined);
  /** What a model writes. The answer replaces it when it is recorded. */
  readonly written = signal<Written | undefined>(undefined);
  growing: string | undefined;
  readonly grown = signal<ReadonlyMap<string, Written>>(new Map());
  /** Why the run could not be loaded, or why it is no longer kept up to date. */
  readonly error = signal<Error | undefined>(undefined);
  /** All events that were there at the start are loaded. */
  readonly loaded = signal(false);
  readonly laneWidth = signal(widestLane);
  readonly zoomed = signal(false);
  readonly follow = signal(true);
  readonly unfolded = signal(noneUnfolded);
  /** As in the URL. */
  readonly find = signal("");
  /** The selected place as in the URL, which is written at once and read after the next rendering. */
  readonly at = signal<string | undefined>(undefined);
  /** What is on screen, in milliseconds of the axis. `until` is infinite while that is the end of a run that works. */
  readonly frame = signal<Range>({ from: 0, until: 0 });
  /** The same for the lane, which follows a moment later: each change draws all bars again. */
  readonly #laneFrame = signal<Range>({ from: 0, until: 0 });
  #laneTimer: ReturnType<typeof setTimeout> | undefined;
  readonly texts: FullTexts;
  readonly running = computed(() => this.detail.value?.state === "running");
  readonly waiting = computed(() => this.detail.value?.state === "waiting");
  readonly lastTurnTime = computed(() => {
    const { status, turn_usage: used } = this.detail.value ?? {};
    return status === "running" ? undefined : used?.milliseconds;
  });
  readonly selected: ReadonlySignal<Selected | undefined>;
  readonly length: ReadonlySignal<number>;
  readonly range: ReadonlySignal<Range>;
  readonly #api: RunReader;
  readonly #closing = new AbortController();
  /** Shown while nothing is selected. Set once, so that it does not change by itself. */
  readonly #initial = signal<Place | undefined>(undefined);
  /** The service's clock minus this one's, from events that just happened. */
  #skew: number | undefined;
  #select: (at: string) => void;

  constructor(api: RunReader, select: (at: string) => void) {
    this.#api = api;
    this.#select = select;
    this.texts = new FullTexts((sequence) => api.event(sequence));
    this.selected = computed(() => {
      void this.version.value;
      return findSelected(this.model, parsePlace(this.at.value) ?? this.#initial.value);
    });
    this.length = computed(() => {
      void this.version.value;
      const { time } = this.model;
      return Math.max(1, this.running.value ? time.place(this.now.value) : 0, time.length);
    });
    this.range = computed(() => {
      const lane = this.#laneFrame.value;
      const { length } = this;
      if (!this.zoomed.value || lane.until <= lane.from) return { from: 0, until: length.value };
      return lane.until === Infinity ? { from: lane.from, until: length.value } : lane;
    });
  }

  /** Loads the run and follows it. */
  async open(): Promise<void> {
    this.#keepTime();
    const { signal: closing } = this.#closing;
    try {
      this.detail.value = await retried(closing, () => this.#api.detail(closing));
      for (let after: number | undefined = 0; after !== undefined;) {
        const from: number = after;
        const page = await retried(closing, () => this.#api.events(from, closing));
        this.#add(page.data);
        after = page.next === null ? undefined : Number(page.next);
      }
    } catch (error) {
      if (!closing.aborted) this.error.value = asError(error);
      return;
    }
    batch(() => {
      this.#initial.value = initialPlace(this.model);
      this.zoomed.value = this.model.steps.length > zoomedFrom;
      this.loaded.value = true;
    });
    void this.#follow();
  }

  /** Reads the run again: what is shown of it is out of date. */
  async reload(): Promise<void> {
    const detail = await this.#api.detail(this.#closing.signal).catch(() => undefined); // the stream follows anyway
    if (detail) this.detail.value = detail;
  }

  close(): void {
    this.#closing.abort();
  }

  /** Records what is on screen. */
  show(frame: Range): void {
    const { from, until } = this.frame.peek();
    if (frame.from === from && frame.until === until) return;
    this.frame.value = frame;
    if (this.#laneTimer !== undefined) return;
    this.#laneTimer = setTimeout(() => {
      this.#laneTimer = undefined;
      this.#laneFrame.value = this.frame.peek();
    }, laneDelay);
  }

  select(place: Place): void {
    this.follow.value = false;
    // The next key can come before the page is rendered, and continues from here.
    this.at.value = formatPlace(place);
    this.#select(this.at.value);
  }

  async #follow(): Promise<void> {
    try {
      const { followRun } = await import("./follow-run.ts"); // no first view needs it
      await followRun(
        this,
        this.#api,
        {
          event: ({ at }) => {
            if (at !== null) this.#skew = Math.max(this.#skew ?? -Infinity, Date.parse(at) - Date.now());
          },
          add: (events, printed) => this.#add(events, printed),
        },
        this.#closing.signal,
      );
    } catch (error) {
      this.error.value = asError(error);
    }
  }

  #add(events: RunEvent[], printed: CallOutput[] = []): void {
    if (events.length + printed.length === 0) return;
    this.model.add(events);
    for (const output of printed) this.model.print(output);
    batch(() => {
      this.version.value++;
      if (this.loaded.peek()) this.#initial.value ??= initialPlace(this.model);
      this.#tick();
    });
  }

  /** Moves the time while the run works. */
  #keepTime(): void {
    const stop = effect(() => {
      // Without a connection, times stand still: what is shown is as of then.
      if (!this.running.value || connection.value.state !== "live") return;
      this.#tick();
      const timer = setInterval(() => this.#tick(), tick);
      return () => clearInterval(timer);
    });
    this.#closing.signal.addEventListener("abort", stop);
  }

  #tick(): void {
    this.now.value = Math.max(Date.now() + (this.#skew ?? 0), this.model.lastAt ?? 0);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

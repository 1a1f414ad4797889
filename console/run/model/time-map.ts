/** Time without any call counts at most this long on the axis. Milliseconds. */
export const longestIdle = 2_000;

/**
 * Maps times to places on an axis from which idle time is cut out. Calls are added in the order of their ends, so adding
 * one takes constant time.
 */
export class TimeMap {
  /** Ends of the cuts, ascending, and the time that is cut out up to there. */
  #cuts: { from: number; until: number; removed: number }[] = [];
  #start: number | undefined;
  #end = 0;

  /** Adds a time in which something ran. Milliseconds since 1970. */
  add(from: number, until: number): void {
    if (this.#start === undefined) {
      this.#start = from;
      this.#end = from;
    }
    if (from - this.#end > longestIdle) this.#cut(this.#end + longestIdle, from);
    this.#end = Math.max(this.#end, until);
  }

  /** Length of the axis in milliseconds. */
  get length(): number {
    return this.#start === undefined ? 0 : this.place(this.#end);
  }

  /** Milliseconds from the start of the axis. */
  place(time: number): number {
    if (this.#start === undefined) return 0;
    const cut = this.#cutBefore(time);
    const removed = cut === undefined ? 0 : cut.removed - Math.max(0, cut.until - time);
    return Math.max(0, time - this.#start - removed);
  }

  /** The time at a place: the opposite of `place`. */
  timeAt(place: number): number {
    const start = this.#start ?? 0;
    let removed = 0;
    for (const cut of this.#cuts) {
      if (cut.from - start - removed >= place) break;
      removed = cut.removed;
    }
    return start + place + removed;
  }

  #cut(from: number, until: number): void {
    const before = this.#cuts.at(-1)?.removed ?? 0;
    this.#cuts.push({ from, until, removed: before + until - from });
  }

  /** The last cut that begins before the time. */
  #cutBefore(time: number): { until: number; removed: number } | undefined {
    let low = 0;
    let high = this.#cuts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#cuts[middle]?.from ?? Infinity) < time) low = middle + 1;
      else high = middle;
    }
    return this.#cuts[low - 1];
  }
}

/** A tick of the time axis. `place`: milliseconds from the start of the axis. */
export interface Tick {
  place: number;
  label: string;
}

/** A part of the time axis, in milliseconds from its start. */
export interface Range {
  from: number;
  until: number;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Distances between ticks that are easy to read. */
const distances = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((number) => number * second),
  ...[1, 2, 5, 10, 15, 30].map((number) => number * minute),
  ...[1, 2, 3, 6, 12, 24, 48, 96, 168].map((number) => number * hour),
];

/** The widest lane. Pixels, as in `timeline.css`. */
export const widestLane = 256;

/** Pixels from one tick to the next: as many as its label takes, but for those of hours with minutes. */
const tickWidth = 52;

/** Pixels that a label takes: 12 px type, and the space beside the tick. */
const labelWidth = (label: string): number => label.length * 7 + 8;

/** Ticks of a part of the axis on a lane of so many pixels, one to four. The last has no label if it would be cut. */
export function ticksOf({ from, until }: Range, lane: number = widestLane): Tick[] {
  const length = Math.max(1, until - from);
  const mostTicks = Math.min(4, Math.max(1, Math.floor(lane / tickWidth)));
  const distance = distances.find((each) => length / each <= mostTicks) ?? length / mostTicks;
  const ticks: Tick[] = [];
  for (let place = Math.ceil(from / distance) * distance; place < from + length; place += distance) {
    const label = labelOf(place);
    const room = lane * (1 - (place - from) / length);
    ticks.push({ place, label: room < labelWidth(label) ? "" : label });
  }
  return ticks;
}

/** "0 s", "1 m", "1 m 30 s", "2 h 05 m" */
function labelOf(place: number): string {
  if (place < second) return place === 0 ? "0 s" : `${place} ms`;
  if (place < minute) return `${Number((place / second).toFixed(3))} s`;
  const seconds = Math.round(place / second);
  if (place < hour) {
    const rest = seconds % 60;
    return rest === 0 ? `${Math.floor(seconds / 60)} m` : `${Math.floor(seconds / 60)} m ${pad(rest)} s`;
  }
  const minutes = Math.round(seconds / 60);
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} m`;
}

function pad(number: number): string {
  return String(number).padStart(2, "0");
}

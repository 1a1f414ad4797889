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

/** Most ticks that have room for their labels in a lane of 256 px. */
const mostTicks = 4;

/** Ticks of a part of the axis, two to four. */
export function ticksOf({ from, until }: Range): Tick[] {
  const length = Math.max(1, until - from);
  const distance = distances.find((each) => length / each <= mostTicks) ?? length / mostTicks;
  const ticks: Tick[] = [];
  for (let place = Math.ceil(from / distance) * distance; place < from + length; place += distance) {
    ticks.push({ place, label: labelOf(place) });
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

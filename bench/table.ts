/** One line of a table. For rates (`/s`) more is better, for everything else less. */
export interface Row {
  name: string;
  /** Empty: a number of things. */
  unit: "ms" | "µs" | "/s" | "MB" | "KB" | "bytes" | "";
  service: number;
  floor?: number;
  /** Maximum: a multiple of the floor, or a value. */
  target?: { timesFloor: number } | { atMost: number } | undefined;
}

/** How many times worse than the floor. 1: equal; 2: half the rate or twice the time. */
function ratioOf({ unit, floor, service }: Row): number | undefined {
  if (floor === undefined) return undefined;
  return unit === "/s" ? floor / service : service / floor;
}

/** Undefined: the row has no target. */
export function isMet(row: Row): boolean | undefined {
  if (!row.target) return undefined;
  return "atMost" in row.target ? row.service <= row.target.atMost : (ratioOf(row) ?? 0) <= row.target.timesFloor;
}

/** `columns`: the headings of the floor and the service. */
export function formatTable(title: string, rows: Row[], columns = ["floor", "service"]): string {
  const lines = [["", ...columns, "unit", "ratio", "target", ""]].concat(
    rows.map((row) => {
      const ratio = ratioOf(row);
      const met = isMet(row);
      return [
        row.name,
        row.floor === undefined ? "" : format(row.floor),
        format(row.service),
        row.unit,
        ratio === undefined ? "" : `${ratio.toFixed(2)} ×`,
        targetOf(row),
        met === undefined ? "" : met ? "met" : "MISSED",
      ];
    }),
  );
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const leftAligned = new Set([0, 3, 6]);
  const text = lines.map((line) =>
    line
      .map((cell, column) =>
        leftAligned.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  return `\n${title}\n${text.join("\n")}`;
}

/** Counts met targets and lists missed ones. */
export function formatSummary(rows: Row[]): string {
  const missed = rows.filter((row) => isMet(row) === false);
  const met = rows.filter((row) => isMet(row) === true);
  const list = missed.map((row) => {
    const ratio = ratioOf(row);
    const received = row.target && "timesFloor" in row.target && ratio ? `${ratio.toFixed(2)} ×` : format(row.service);
    return `  missed: ${row.name.trim()}: ${received}, target ${targetOf(row)}`;
  });
  return [`\n${met.length} targets met, ${missed.length} missed`, ...list].join("\n");
}

function targetOf({ target, unit }: Row): string {
  if (!target) return "";
  return "atMost" in target ? `≤ ${format(target.atMost)} ${unit}` : `≤ ${target.timesFloor} ×`;
}

function format(value: number): string {
  if (Number.isNaN(value)) return "n/a";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const median = (values: number[]): number => quantile(values, 0.5);

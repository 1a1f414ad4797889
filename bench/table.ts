/** One line of a table. Of rates (`/s`) more is better, of everything else less. */
export interface Row {
  name: string;
  unit: "ms" | "/s" | "MB" | "KB" | "calls" | "units" | "transitions";
  service: number;
  floor?: number;
  /** The target: at most so many times the floor, or at most so much. Without one the row is information. */
  target?: { timesFloor: number } | { atMost: number } | undefined;
}

/** How many times worse than the floor: 1 is as good, 2 is half as fast or twice as long. */
function ratioOf({ unit, floor, service }: Row): number | undefined {
  if (floor === undefined) return undefined;
  return unit === "/s" ? floor / service : service / floor;
}

function isMet(row: Row): boolean | undefined {
  if (!row.target) return undefined;
  return "atMost" in row.target ? row.service <= row.target.atMost : (ratioOf(row) ?? 0) <= row.target.timesFloor;
}

/** A table with a title, one line per row, numbers under each other. */
export function formatTable(title: string, rows: Row[]): string {
  const lines = [
    ["", "floor", "service", "unit", "ratio", "target", ""],
    ...rows.map((row) => {
      const ratio = ratioOf(row);
      return [
        row.name,
        row.floor === undefined ? "" : number(row.floor),
        number(row.service),
        row.unit,
        ratio === undefined ? "" : `${ratio.toFixed(2)} ×`,
        targetOf(row),
        { true: "met", false: "MISSED", undefined: "" }[String(isMet(row)) as "true" | "false" | "undefined"],
      ];
    }),
  ];
  const widths = [0, 1, 2, 3, 4, 5, 6].map((column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const alignLeft = [true, false, false, true, false, false, true];
  const text = lines.map((line) =>
    line
      .map((cell, column) =>
        alignLeft[column] ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  return `\n${title}\n${text.join("\n")}`;
}

/** Which targets are met and which are missed, in sentences. */
export function formatVerdict(rows: Row[]): string {
  const missed = rows.filter((row) => isMet(row) === false);
  const met = rows.filter((row) => isMet(row) === true);
  const list = missed.map((row) => {
    const ratio = ratioOf(row);
    const received = row.target && "timesFloor" in row.target && ratio ? `${ratio.toFixed(2)} ×` : number(row.service);
    return `  missed: ${row.name.trim()}: ${received}, target ${targetOf(row)}`;
  });
  return [`\n${met.length} targets met, ${missed.length} missed`, ...list].join("\n");
}

function targetOf({ target, unit }: Row): string {
  if (!target) return "";
  return "atMost" in target ? `≤ ${number(target.atMost)} ${unit}` : `≤ ${target.timesFloor} ×`;
}

function number(value: number): string {
  if (Number.isNaN(value)) return "n/a";
  return Math.abs(value) >= 100
    ? Math.round(value).toLocaleString("en-US")
    : value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** The value below which so large a share of the values lies; 0.5 is the median. */
export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const median = (values: number[]): number => quantile(values, 0.5);

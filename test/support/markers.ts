import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";

const markersPerText = 8;

/** Texts that occur once each, between fillers of different lengths: short rows, long ones, and some on several pages. */
export function marked(run: number, kind: string): string {
  return Array.from({ length: markersPerText }, (_, index) => {
    const filler = "f".repeat((run * 37 + index * 101) % (run % 9 === 0 ? 2_000 : 120));
    return `MARK-${run}-${kind}-${index};${filler}`;
  }).join("\n");
}

/**
 * Numbers of the runs that a folder still has markers of, with the number of different markers. Another process reads the
 * files: to close a database file releases this process's locks on it.
 */
export function markersIn(folder: string): Map<number, number> {
  const { stdout } = spawnSync("grep", ["-rahoE", "MARK-[0-9]+-[A-Z]+-[0-9]+", folder], { maxBuffer: 2 ** 28 });
  const names = readdirSync(folder, { recursive: true }).join("\n");
  const counts = new Map<number, number>();
  for (const marker of new Set(`${stdout.toString()}\n${names}`.match(/MARK-\d+-[A-Z]+-\d+/g))) {
    const run = Number(marker.split("-")[1]);
    counts.set(run, (counts.get(run) ?? 0) + 1);
  }
  return counts;
}

import { readFile } from "node:fs/promises";
import type { Setting } from "../lib/setting.ts";
import { settings } from "../lib/settings.ts";

const heading = ["setting", "meaning", "default"];

/** A page with its table of settings replaced by that of `lib/settings.ts`. Throws if it has none. */
export async function withSettings(path: string): Promise<string> {
  const page = await readFile(path, "utf8");
  const table = /^\| setting +\|.*\n(?:\|.*\n)*/m;
  if (!table.test(page)) throw new Error(`${path} has no table of settings`);
  return page.replace(table, () => settingsTable());
}

function settingsTable(): string {
  const rows = Object.entries<Setting<unknown>>(settings).map(([name, { meaning, fallback }]) => [
    `\`${name}\``,
    meaning,
    defaultOf(fallback),
  ]);
  const widths = heading.map((title, column) => Math.max(...[heading, ...rows].map((row) => row[column]?.length ?? 0)));
  const lineOf = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`;
  const rule = lineOf(widths.map((width) => "-".repeat(width)));
  return [lineOf(heading), rule, ...rows.map(lineOf)].join("");
}

function defaultOf(fallback: unknown): string {
  if (typeof fallback === "number") return String(fallback);
  if (fallback === "" || (Array.isArray(fallback) && fallback.length === 0)) return "none";
  if (typeof fallback === "string") return `\`${fallback}\``;
  return `\`${Object.entries(fallback as object)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(",")}\``;
}

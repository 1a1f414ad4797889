import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildConsole } from "./build-console.ts";
import { writeBundles } from "./write-bundles.ts";

// Prints the bytes that a cold start of each function reads, and those of the page's first views after gzip, beside the last
// release. Fails above 5 % more. --record: writes them, which a release does.

const file = fileURLToPath(new URL("released-sizes.json", import.meta.url));
/** Bytes that a cold start loads in under a millisecond: as many more are no reason to fail. Of the page, each byte counts. */
const unnoticed = (name: string): number => (name.startsWith("page") ? 0 : 16 * 1_024);

const folder = mkdtempSync(join(tmpdir(), "sizes-"));
const functions = Object.keys(writeBundles(folder)).map((name) => [
  name,
  statSync(join(folder, name, "index.js")).size,
]);
const { list, run } = await buildConsole(join(folder, "page"));
rmSync(folder, { recursive: true });
const sizes = { ...(Object.fromEntries(functions) as Record<string, number>), "page: list": list, "page: run": run };

if (process.argv.includes("--record")) {
  writeFileSync(file, `${JSON.stringify(sizes, undefined, 2)}\n`);
} else {
  const released = JSON.parse(readFileSync(file, "utf8")) as Partial<Record<string, number>>;
  for (const [name, bytes] of Object.entries(sizes)) {
    const before = released[name];
    const ratio = before === undefined ? "new" : (bytes / before).toFixed(3);
    const isLarge = before !== undefined && bytes > before + Math.max(0.05 * before, unnoticed(name));
    console.log(
      `${ratio.padStart(7)}  ${(bytes / 1_024).toFixed(1).padStart(8)} KB  ${name}${isLarge ? ": too large" : ""}`,
    );
    if (isLarge) process.exitCode = 1;
  }
}

import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { shellWord } from "../../src/command-line.ts";
import { databaseFile } from "../../src/platform/local/open-platform.ts";
import { upgradeCopies } from "../../src/platform/local/database/upgrade-copy.ts";

/** What copies of the database are there from before an upgrade, and what they are for. Shown at each start. */
export function upgradeNotice(dataDir: string): string | undefined {
  const copies = upgradeCopies(join(dataDir, databaseFile)).filter((copy) => !copy.endsWith(".partial"));
  const newest = copies.at(-1);
  if (newest === undefined) return undefined;
  const shown = copies.map((copy) => `${copy} (${Math.ceil(statSync(copy).size / 1e6)} MB)`);
  const others = [
    `${databaseFile}-wal`,
    `${databaseFile}-shm`,
    "search.sqlite",
    "search.sqlite-wal",
    "search.sqlite-shm",
  ].join(" ");
  return (
    `an upgrade changed the database; it is kept as it was before in ${shown.join(", ")}. To go back to that version, without the runs ` +
    `since then: stop the service, run cd ${shellWord(dataDir)} && rm -f ${others} && mv ${basename(newest)} ${databaseFile}, and start ` +
    `that version. If you do not need the copy, delete it; the first deletion of a run deletes it, too`
  );
}

import { statSync } from "node:fs";
import { join } from "node:path";
import { databaseFile } from "../../src/platform/local/index.ts";
import { upgradeCopies } from "../../src/platform/local/database/upgrade-copy.ts";

/** What copies of the database are there from before an upgrade, and what they are for. Shown at each start. */
export function upgradeNotice(dataDir: string): string | undefined {
  const copies = upgradeCopies(join(dataDir, databaseFile));
  if (copies.length === 0) return undefined;
  const shown = copies.map((copy) => `${copy} (${Math.ceil(statSync(copy).size / 1e6)} MB)`);
  return (
    `the database was updated; it is kept as it was in ${shown.join(", ")}. To go back to the version before, stop the service and ` +
    `move the copy to ${databaseFile} (docs/operations.md). Delete it if you do not need it; the first deletion of a run does so, too`
  );
}

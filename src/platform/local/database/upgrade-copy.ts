// Copies of a database file from before an upgrade. A downgrade is not possible without one: the file has the new schema.
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";

/**
 * Copies the database to `FILE.schema-VERSION`. Another copy of the same version is replaced. Throws if the copy cannot be
 * written; the database is then unchanged.
 */
export function copyBeforeUpgrade(db: DatabaseSync, file: string, version: number): void {
  const copy = `${file}.schema-${version}`;
  const partial = `${copy}.partial`;
  try {
    rmSync(partial, { force: true });
    closeSync(openSync(partial, "wx", 0o600)); // transcripts are private; SQLite would use the umask
    // Not a copy of the file: to close a descriptor of it would release SQLite's locks (howtocorrupt.html, 2.2).
    db.prepare("VACUUM INTO ?").run(partial);
    const fd = openSync(partial, "r+");
    fsyncSync(fd);
    closeSync(fd);
    renameSync(partial, copy);
  } catch (cause) {
    rmSync(partial, { force: true });
    const { message } = cause as Error;
    throw new Error(
      `${file} needs an update, and its copy ${copy} could not be written first: ${message}. Nothing was changed. ` +
        "Free as much space as the file has, and start again",
      { cause },
    );
  }
}

/** The files that `copyBeforeUpgrade` wrote and that are still there, with the paths of their folder. The newest is the last one. */
export function upgradeCopies(file: string): string[] {
  const prefix = `${basename(file)}.schema-`;
  const names = readdirSync(dirname(file)).filter((name) => name.startsWith(prefix));
  return names.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).map((name) => join(dirname(file), name));
}

/** Removes them: they contain what is deleted from the database. */
export function removeUpgradeCopies(file: string): void {
  for (const copy of upgradeCopies(file)) rmSync(copy, { force: true });
}

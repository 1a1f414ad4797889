import { type BigIntStats, lstatSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import { foldersOf } from "./lay-out.ts";
import type { StoredFile } from "./linux-types.ts";

/**
 * The files of a workspace as a program found them, to see after it which it did not touch, without reading them. A program
 * can set the time of a modification, but not that of a change of the inode. The time of the last access counts too: what a
 * program writes to a file of a tmpfs through a map changes no other time, if it has read the page before.
 */
export class Snapshot {
  readonly #stats = new Map<string, BigIntStats>();
  readonly #contents = new Map<string, string>();

  private constructor() {}

  /** `folder`: as the program will see it. */
  static async take(folder: string, files: readonly StoredFile[]): Promise<Snapshot> {
    const snapshot = new Snapshot();
    const contents = new Map(files.map(({ name, sha256 }) => [name, sha256]));
    const names = new Set([...contents.keys(), ...foldersOf(files)]);
    for (const [number, name] of [...names].entries()) {
      if (number % filesBetweenPauses === 0) await pause();
      const stats = statOf(join(folder, name));
      if (!stats) continue;
      snapshot.#stats.set(name, stats);
      const sha256 = contents.get(name);
      if (stats.isFile() && sha256 !== undefined) snapshot.#contents.set(identity(stats), sha256);
    }
    return snapshot;
  }

  /** What the program found under a name. */
  at(name: string): BigIntStats | undefined {
    return this.#stats.get(name);
  }

  /** SHA-256 of a file that no program has touched, also if its folder has another name by now. */
  contentOf(stats: BigIntStats): string | undefined {
    return this.#contents.get(identity(stats));
  }
}

/** So many calls of the kernel take less than a millisecond. */
export const filesBetweenPauses = 100;

/** Undefined: it is in a folder that this process may not enter. */
function statOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

function identity({ ino, size, mtimeNs, ctimeNs, atimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs} ${atimeNs}`;
}

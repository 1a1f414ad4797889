import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Free bytes that an installation of the environment "linux" needs: 1.1 GB each for its layers in an engine on the same disk, the
 * archive and the folder, and 0.3 GB for the wheels.
 */
const neededBytes = 4e9;

/** Why a folder's disk is too small for an installation, with what to do. Undefined: it is not. */
export function spaceProblem(folder: string): string | undefined {
  const free = freeDiskBytes(folder);
  if (free >= neededBytes) return undefined;
  return (
    `the disk of ${folder} has ${gigabytes(free)} free; an installation needs ${gigabytes(neededBytes)}: ` +
    "free some, or name a folder on another disk in AGENT_RUN_ENVIRONMENTS"
  );
}

/** Of the disk of a folder that may not exist yet, for users other than root. */
export function freeDiskBytes(folder: string): number {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  const { bavail, bsize } = statfsSync(existing);
  return bavail * bsize;
}

export function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { openLocalPlatform } from "../../src/platform/local/index.ts";
import { type Home, Problem } from "./command.ts";

/** Where a service lives: a folder of this machine, or a stack in the AWS account of the caller's credentials. */
export type Place = { dataDir: string } | { stack: string };

/** `needsData`: a folder without data is no service. Throws a `Problem` when there is no such service. */
export async function openHome(place: Place, needsData: boolean): Promise<Home> {
  if ("dataDir" in place) return openFolder(place.dataDir, needsData);
  const { openStack } = await import("./stack.ts"); // the AWS SDK takes 0.3 s to load
  return openStack(place.stack);
}

function openFolder(dataDir: string, needsData: boolean): Home {
  // A mistyped folder would otherwise be made, and look like a service without data.
  if (needsData && !existsSync(join(dataDir, "runs.sqlite"))) {
    throw new Problem(
      `there is no service data in ${dataDir}; give its folder with --data-dir, or begin with npm start`,
    );
  }
  try {
    return openLocalPlatform({ dataDir });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Problem(`the data folder ${dataDir} can't be used: ${reason}; give another with --data-dir`);
  }
}

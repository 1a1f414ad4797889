import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Makes something once for all test files of a command, which share a temporary directory. The first caller makes it in the
 * folder that `make` gets, and the others wait. Resolves with the folder.
 */
export async function oncePerCommand(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(tmpdir(), name);
  const ended = `${folder}.ended`;
  if (mkdirSync(folder, { recursive: true }) === undefined) {
    while (!existsSync(ended)) await sleep(50);
    const failure = await readFile(ended, "utf8");
    if (failure !== "") throw new Error(failure);
    return folder;
  }
  let failure = `${name} was not made`;
  try {
    await make(folder);
    failure = "";
  } catch (error) {
    failure = String(error);
    throw error;
  } finally {
    writeFileSync(`${ended}.partial`, failure);
    renameSync(`${ended}.partial`, ended);
  }
  return folder;
}

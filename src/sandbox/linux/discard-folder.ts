import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { log } from "../../log.ts";
import { lowerPriority } from "../priority.ts";

/** Characters of a command's errors that are kept. */
const errorCharacters = 200;

/**
 * `rm` opens each folder relative to the one above it, so a path may be longer than the 4,096 bytes that the kernel accepts at
 * once; Node deletes by whole paths. A program may have made its folders unreadable.
 */
const remove = `rm -rf -- "$1" 2>/dev/null && exit
chmod -R u+rwX -- "$1" 2>/dev/null
exec rm -rf -- "$1"`;

const asideSuffix = "-undeleted";

/** Where folders in `parent` are moved that cannot be deleted. */
export function asideFolder(parent: string): string {
  return parent.endsWith(asideSuffix) ? parent : `${parent}${asideSuffix}`;
}

/**
 * Deletes a folder that a program could write to. What cannot be deleted is moved aside, for an operator, and logged. Never
 * rejects: no later program may fail because of what an earlier one left.
 */
export async function discardFolder(folder: string): Promise<void> {
  const problem = await removeFolder(folder);
  if (problem === undefined || !existsSync(folder)) return;
  const aside = asideFolder(dirname(folder));
  const isMoved = await moveTo(aside, folder);
  log("error", "the folder of a program could not be deleted", { folder, ...(isMoved && { movedTo: aside }), problem });
}

/** Resolves with the reason if something is left. */
async function removeFolder(folder: string): Promise<string | undefined> {
  if (process.platform !== "win32") return runRemove(folder);
  return rm(folder, { recursive: true, force: true }).then(
    () => undefined,
    ({ message }: Error) => message,
  );
}

function runRemove(folder: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", remove, "sh", folder], { stdio: ["ignore", "ignore", "pipe"] });
    lowerPriority(child);
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors = (errors + text).slice(-errorCharacters)));
    child.once("error", ({ message }) => resolve(message));
    // The names are a program's: only the system's words are kept.
    child.once("close", (code) => resolve(code === 0 ? undefined : (errors.trim().split(": ").at(-1) ?? "")));
  });
}

async function moveTo(aside: string, folder: string): Promise<boolean> {
  try {
    await mkdir(aside, { recursive: true, mode: 0o700 });
    await rename(folder, join(aside, basename(folder)));
    return true;
  } catch {
    return false;
  }
}

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** Removes the temporary folders of processes that were killed, and makes one for this process. `prefix`: of their names. */
export function temporaryFolder(parent: string, prefix: string): string {
  for (const entry of readdirSync(parent)) {
    if (!entry.startsWith(prefix)) continue;
    const pid = Number.parseInt(entry.slice(prefix.length), 10);
    if (pid > 0 && !isAlive(pid) && isOwn(join(parent, entry))) {
      rmSync(join(parent, entry), { recursive: true, force: true });
    }
  }
  return mkdtempSync(join(parent, `${prefix}${process.pid}-`));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** In a folder of all users, others' are theirs. */
function isOwn(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

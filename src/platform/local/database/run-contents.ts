import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, link, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { semaphore } from "../../../async/semaphore.ts";
import { settleAll } from "../../../async/settle-all.ts";
import { contentName, requireFlatName } from "../../../filenames.ts";
import { openUntrusted } from "../../../sandbox/linux/changes.ts";
import type { ContentFolder } from "../../../sandbox/linux/types.ts";
import { refused, syncFolder, temporary } from "../workspace.ts";

/** Files that are stored at the same time. More only wait for the disk. */
const concurrentStores = 8;
const partBytes = 1024 * 1024;

/** The contents of one run as a sandbox on this machine uses them. `root`: the folder of all workspaces. */
export function runContents(root: string, runId: string): ContentFolder {
  // Computed when it is used: each turn opens the contents, and few have programs.
  const folder = (): string => join(root, requireFlatName(runId));

  async function storeOne(path: string): Promise<{ sha256: string; size: number }> {
    const partial = join(root, `${temporary}${randomUUID()}`);
    try {
      const { sha256, size } = await copyUntrusted(path, partial);
      await rename(partial, join(folder(), contentName(sha256)));
      return { sha256, size };
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  return {
    async link(sha256, path) {
      const content = join(folder(), contentName(sha256));
      // Some file systems have no links, or allow a file only so many.
      await link(content, path).catch((error: NodeJS.ErrnoException) =>
        ["EPERM", "EMLINK", "ENOTSUP", "EXDEV"].includes(error.code ?? "") ? copyFile(content, path) : refused(error),
      );
    },
    async store(paths) {
      const limited = semaphore(concurrentStores);
      try {
        const isNew = !existsSync(folder());
        await mkdir(folder(), { recursive: true });
        const stored = await settleAll(paths.map((path) => limited(() => storeOne(path))));
        await syncFolder(folder());
        if (isNew) await syncFolder(root);
        return stored;
      } catch (error) {
        refused(error as NodeJS.ErrnoException);
      }
    },
  };
}

/** Copies a file that a program wrote, and computes its hash on the way. Resolves when the copy is on the disk. */
async function copyUntrusted(path: string, target: string): Promise<{ sha256: string; size: number }> {
  await using source = await open(path, openUntrusted);
  await using copy = await open(target, "wx");
  const hash = createHash("sha256");
  let size = 0;
  for await (const part of source.createReadStream({ highWaterMark: partBytes, autoClose: false })) {
    const bytes = part as Buffer;
    hash.update(bytes);
    size += bytes.length;
    await copy.write(bytes);
  }
  await copy.datasync();
  return { sha256: hash.digest("hex"), size };
}

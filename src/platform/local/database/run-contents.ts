import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { sha256Of } from "../../../agent/turn/files/manifest.ts";
import { contentName, requireFlatName } from "../../../filenames.ts";
import type { ContentFolder, UntrustedFile } from "../../../sandbox/linux/content-folder.ts";
import { partsOf } from "../../../sandbox/linux/untrusted-folder.ts";
import { microseconds } from "../../../sandbox/linux/workspace-tree.ts";
import { throwRefused, syncFolder, temporary } from "../workspace.ts";

/** The contents of one run as a sandbox on this machine uses them. `root`: the folder of all workspaces. */
export function runContents(root: string, runId: string): ContentFolder {
  const folder = join(root, requireFlatName(runId));

  return {
    folder,
    async copy(sha256, path) {
      await copyFile(join(folder, contentName(sha256)), path, constants.COPYFILE_FICLONE).catch(throwRefused);
    },
    async timeOf(sha256) {
      const { mtimeNs } = await stat(join(folder, contentName(sha256)), { bigint: true }).catch(throwRefused);
      return microseconds(mtimeNs);
    },
    async store(file, signal) {
      const partial = join(root, `${temporary}${randomUUID()}`);
      try {
        const { sha256, size } = await copyUntrusted(file, partial, signal);
        if ((await mkdir(folder, { recursive: true })) !== undefined) await syncFolder(root);
        await rename(partial, join(folder, contentName(sha256)));
        return { sha256, size };
      } catch (error) {
        await rm(partial, { force: true });
        throwRefused(error as NodeJS.ErrnoException);
      }
    },
    settle: () => syncFolder(folder).catch(throwRefused),
  };
}

const zeros = Buffer.alloc(64 * 1024);

/**
 * Copies a file that a program wrote, and computes its hash on the way. Resolves when the copy is on the disk. Blocks of zeros
 * are not written: a program can make a file of 200 MB with a few bytes of its disk.
 */
async function copyUntrusted(
  file: UntrustedFile,
  target: string,
  signal: AbortSignal,
): Promise<{ sha256: string; size: number }> {
  await using copy = await open(target, "wx");
  if ("content" in file) {
    await copy.writeFile(file.content);
    await copy.datasync();
    return { sha256: sha256Of(file.content), size: file.content.length };
  }
  await using source = await file.open();
  const hash = createHash("sha256");
  let size = 0;
  for await (const part of partsOf(source)) {
    signal.throwIfAborted();
    hash.update(part);
    for (let at = 0; at < part.length; at += zeros.length) {
      const block = part.subarray(at, at + zeros.length);
      if (!zeros.subarray(0, block.length).equals(block)) await copy.write(block, 0, block.length, size + at);
    }
    size += part.length;
  }
  await copy.truncate(size);
  await copy.datasync();
  return { sha256: hash.digest("hex"), size };
}

import { randomUUID } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { link, mkdir, open, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { StoreUnavailable } from "../../errors.ts";
import { settleAll } from "../../async/settle-all.ts";
import { contentName, requireFlatName } from "../../filenames.ts";
import type { ServedTransfers, Workspace } from "../../runs/ports.ts";

/** Name prefix of temporary files. They are beside the workspaces, so that the next start finds those of a crash. */
export const temporary = ".partial-";

export interface LocalWorkspace extends Workspace {
  send: ServedTransfers["send"];
}

/** Stores the contents of each run in a directory below `root`. */
export function localWorkspace(root: string): LocalWorkspace {
  const folderOf = (runId: string): string => join(root, requireFlatName(runId));

  return {
    async write(runId, contents) {
      const folder = folderOf(runId);
      const files = new Map(contents.map(({ sha256, content }) => [join(folder, contentName(sha256)), content]));
      const created = await mkdir(folder, { recursive: true }).catch(throwRefused);
      await settleAll([
        ...(created === undefined ? [] : [syncFolder(root)]),
        ...[...files].flatMap(([file, content]) => (existsSync(file) ? [] : writeWhole(root, file, content))),
      ]).catch(throwRefused);
      await syncFolder(folder).catch(throwRefused); // also when a content exists: another call may have just renamed it
    },

    async read(runId, sha256) {
      return readFile(join(folderOf(runId), contentName(sha256))).catch(absent);
    },

    async remove(runId, sha256s) {
      const folder = folderOf(runId);
      await Promise.all(sha256s.map((sha256) => rm(join(folder, contentName(sha256)), { force: true })));
      await rmdir(folder).catch(() => {}); // fails if other files are left
    },

    async link(from, to, sha256s) {
      const folder = folderOf(from);
      folderOf(to); // rejects a wrong id, also without contents
      const linked = await settleAll(
        [...new Set(sha256s)].map(async (sha256) => {
          const file = join(folder, contentName(sha256));
          if (!(await stat(file).catch(absent))) return [sha256];
          await storeFile(root, to, sha256, file);
          return [];
        }),
      );
      return linked.flat();
    },

    async removeAll(runId) {
      // A process whose turn was just stopped may still write: the folder is then not empty when it is removed.
      await rm(folderOf(runId), { recursive: true, force: true, maxRetries: 5 });
    },

    async send(runId, sha256) {
      const file = join(folderOf(runId), contentName(sha256));
      if (!(await stat(file).catch(absent))) return undefined;
      // Opened when it is read.
      return (part) => ({ [Symbol.asyncIterator]: () => createReadStream(file, part)[Symbol.asyncIterator]() });
    },
  };
}

/**
 * Stores a file as a content of a run: as a further name of it, or as a copy where the file system has no hard links.
 * Contents are never changed in place, so both names keep it.
 */
export async function storeFile(root: string, runId: string, sha256: string, file: string): Promise<void> {
  const folder = join(root, requireFlatName(runId));
  const target = join(folder, contentName(sha256));
  try {
    if ((await mkdir(folder, { recursive: true })) !== undefined) await syncFolder(root);
    await link(file, target).catch((error: NodeJS.ErrnoException) =>
      error.code === "EEXIST" ? undefined : writeWhole(root, target, createReadStream(file)),
    );
    await syncFolder(folder);
  } catch (error) {
    throwRefused(error as NodeJS.ErrnoException);
  }
}

/** Writes a temporary file in `root` and renames it, so that a crash leaves the old file or the new one. */
export async function writeWhole(
  root: string,
  file: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  const partial = join(root, `${temporary}${randomUUID()}`);
  try {
    const handle = await open(partial, "wx");
    try {
      await handle.writeFile(content);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

const [full, exhausted] = ["the disk of the workspaces is full", "the process has too many files open"];
/** Error codes of outages that a retry can outlast. */
const outages: Record<string, string> = {
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: full,
  EMFILE: exhausted,
  ENFILE: exhausted,
};

export function throwRefused(error: NodeJS.ErrnoException): never {
  const outage = outages[error.code ?? ""];
  throw outage === undefined ? error : new StoreUnavailable(outage, { cause: error, full: outage === full });
}

export function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throwRefused(error);
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } catch (error) {
    // Windows cannot sync a directory, and its file systems do not need it.
    if (process.platform !== "win32") throw error;
  } finally {
    await handle.close();
  }
}

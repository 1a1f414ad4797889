import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { requireFlatName } from "../../filenames.ts";
import type { PendingUpload, PendingUploads, ServedTransfers } from "../../runs/ports.ts";
import type { Database } from "./sqlite.ts";
import { absent, refused, storeFile, syncFolder, writeWhole } from "./workspace.ts";

export interface LocalPendingUploads extends PendingUploads {
  receive: ServedTransfers["receive"];
  /** Removes uploads that expired more than an hour before `now`, and files that no upload has. */
  removeExpired(now: number): Promise<void>;
}

/** Milliseconds for which an expired upload, or a file that has not been written to, is kept: a create may be using it. */
const margin = 3_600_000;

/** Pending uploads in the database, and their contents as files in `root` by id. `workspaces`: root of the workspaces. */
export function localPendingUploads(
  { db, read, write }: Database,
  { root, workspaces }: { root: string; workspaces: string },
): LocalPendingUploads {
  const insert = db.prepare("INSERT OR REPLACE INTO uploads VALUES (?, ?, ?)");
  const findById = db.prepare("SELECT body FROM uploads WHERE id = ?");
  const deleteExpired = db.prepare("DELETE FROM uploads WHERE expires_at < ?");
  const fileOf = (id: string): string => join(root, requireFlatName(id));

  return {
    add: (upload) => write(() => void insert.run(upload.id, upload.expiresAt, JSON.stringify(upload))),

    async find(id) {
      const row = read(() => findById.get(id));
      return row && (JSON.parse(String(row["body"])) as PendingUpload);
    },

    async copyTo(runId, { id, sha256 }) {
      const file = fileOf(id);
      if (!(await stat(file).catch(absent))) return false;
      await storeFile(workspaces, runId, sha256, file);
      return true;
    },

    async receive({ id }, content) {
      await writeWhole(root, fileOf(id), content).catch(refused);
      await syncFolder(root).catch(refused);
    },

    async removeExpired(now) {
      await write(() => void deleteExpired.run(now - margin));
      for (const name of await readdir(root)) {
        const file = join(root, name);
        const found = await stat(file).catch(absent);
        const isUsed = found && (found.mtimeMs > now - margin || read(() => findById.get(name)) !== undefined);
        if (!isUsed) await rm(file, { force: true });
      }
    },
  };
}

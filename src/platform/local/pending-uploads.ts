import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { requireFlatName } from "../../filenames.ts";
import type { PendingUpload, PendingUploads, PendingUse, ServedTransfers } from "../../runs/ports.ts";
import type { Database } from "./database/sqlite.ts";
import { absent, refused, storeFile, syncFolder, writeWhole } from "./workspace.ts";

export interface LocalPendingUploads extends PendingUploads {
  receive: ServedTransfers["receive"];
  remove(ids: string[]): Promise<void>;
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
  const insert = db.prepare(
    "INSERT INTO uploads VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at, body = excluded.body",
  );
  const useOf = db.prepare("SELECT uploads, bytes FROM pending_use WHERE agent_id = ?");
  const pendingUse = (agentId: string): PendingUse => {
    const { uploads = 0, bytes = 0 } = useOf.get(agentId) ?? {};
    return { uploads: Number(uploads), bytes: Number(bytes) };
  };
  const findById = db.prepare("SELECT body FROM uploads WHERE id = ?");
  const deleteExpired = db.prepare("DELETE FROM uploads WHERE expires_at < ?");
  const deleteUnknown = db.prepare("DELETE FROM upload_runs WHERE upload_id NOT IN (SELECT id FROM uploads)");
  const insertRun = db.prepare("INSERT OR IGNORE INTO upload_runs VALUES (?, ?)");
  const onlyOf = db.prepare(`
    SELECT upload_id AS id FROM upload_runs AS mine WHERE run_id = ?1 AND NOT EXISTS
      (SELECT 1 FROM upload_runs WHERE upload_id = mine.upload_id AND run_id <> ?1)`);
  const deleteUpload = db.prepare("DELETE FROM uploads WHERE id = ?");
  const deleteRun = db.prepare("DELETE FROM upload_runs WHERE run_id = ?");
  const fileOf = (id: string): string => join(root, requireFlatName(id));

  async function remove(ids: string[]): Promise<void> {
    await Promise.all(ids.map((id) => rm(fileOf(id), { force: true })));
    await write(() => {
      for (const id of ids) deleteUpload.run(id);
    });
  }

  return {
    add: (upload, limit) =>
      write(() => {
        const use = limit && !findById.get(upload.id) && pendingUse(upload.agentId);
        if (use && (use.uploads >= limit.uploads || use.bytes + upload.size > limit.bytes)) return use;
        insert.run(upload.id, upload.expiresAt, JSON.stringify(upload));
        return undefined;
      }),

    pendingUse: async (agentId) => read(() => pendingUse(agentId)),

    async find(id) {
      const row = read(() => findById.get(id));
      return row && (JSON.parse(String(row["body"])) as PendingUpload);
    },

    async copyTo(runId, { id, sha256 }) {
      const file = fileOf(id);
      if (!(await stat(file).catch(absent))) return false;
      await write(() => void insertRun.run(runId, id));
      await storeFile(workspaces, runId, sha256, file);
      return true;
    },

    async release({ id: runId }) {
      await remove(read(() => onlyOf.all(runId)).map(({ id }) => String(id)));
      await write(() => void deleteRun.run(runId));
    },

    remove,

    async receive({ id }, content) {
      await writeWhole(root, fileOf(id), content).catch(refused);
      await syncFolder(root).catch(refused);
    },

    async removeExpired(now) {
      await write(() => {
        deleteExpired.run(now - margin);
        deleteUnknown.run();
      });
      for (const name of await readdir(root)) {
        const file = join(root, name);
        const found = await stat(file).catch(absent);
        const isUsed = found && (found.mtimeMs > now - margin || read(() => findById.get(name)) !== undefined);
        if (!isUsed) await rm(file, { force: true });
      }
    },
  };
}

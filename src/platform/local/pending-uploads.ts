import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { requireFlatName } from "../../filenames.ts";
import { refusalOf } from "../../runs/files/pending-uploads.ts";
import type { PendingUpload, PendingUploads, PendingUse, ServedTransfers } from "../../runs/ports.ts";
import type { QuotaScope, RunOwner } from "../../runs/run-types.ts";
import type { Database } from "./database/sqlite.ts";
import { absent, throwRefused, storeFile, syncFolder, writeWhole } from "./workspace.ts";

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
  const insert = db.prepare(`
    INSERT INTO uploads (id, expires_at, body, organization_id) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at, body = excluded.body`);
  const findUse = db.prepare("SELECT uploads, bytes FROM pending_use WHERE owner = ?");
  const useOf = (owner: string): PendingUse => {
    const { uploads = 0, bytes = 0 } = findUse.get(owner) ?? {};
    return { uploads: Number(uploads), bytes: Number(bytes) };
  };
  const pendingUse = ({ agentId, organizationId }: RunOwner): Record<QuotaScope, PendingUse> => ({
    agent: useOf(agentId),
    organization: useOf(organizationId),
  });
  const findById = db.prepare("SELECT body FROM uploads WHERE id = ?");
  const deleteExpired = db.prepare("DELETE FROM uploads WHERE expires_at < ?");
  const deleteUnknown = db.prepare("DELETE FROM upload_runs WHERE upload_id NOT IN (SELECT id FROM uploads)");
  const insertRun = db.prepare("INSERT OR IGNORE INTO upload_runs (run_id, upload_id) VALUES (?, ?)");
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
    add: (upload, { organizationId, limits = {} }) =>
      write(() => {
        const { id, agentId, size, expiresAt } = upload;
        const refusal = findById.get(id) ? undefined : refusalOf(size, pendingUse({ agentId, organizationId }), limits);
        if (!refusal) insert.run(id, expiresAt, JSON.stringify(upload), organizationId);
        return refusal;
      }),

    pendingUse: async (owner) => read(() => pendingUse(owner)),

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
      await writeWhole(root, fileOf(id), content).catch(throwRefused);
      await syncFolder(root).catch(throwRefused);
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

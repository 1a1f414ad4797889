import type { PendingUpload, Removal } from "../../runs/ports.ts";
import { auditWriter } from "./audit.ts";
import type { LocalPendingUploads } from "./pending-uploads.ts";
import type { Database } from "./database/sqlite.ts";
import type { StoredSecrets } from "./process/stored-secrets.ts";

/** Rows that are deleted in one transaction: other writes go in between. */
const rowsAtOnce = 1_000;

/** Deletes the records of organizations. */
export function localRemoval(
  database: Database,
  pendingUploads: Pick<LocalPendingUploads, "remove">,
  secrets: Pick<StoredSecrets, "remove">,
): Removal {
  const { db, read, write } = database;
  const dropRun = db.prepare("DELETE FROM runs WHERE id = ? AND status = 'terminated'");
  const dropErasure = db.prepare("DELETE FROM erasures WHERE run_id = ?");
  const many = [
    `DELETE FROM deliveries WHERE seq IN (SELECT seq FROM deliveries WHERE agent_id = ? LIMIT ${rowsAtOnce})`,
    `DELETE FROM idempotency WHERE (agent_id, key) IN
       (SELECT agent_id, key FROM idempotency WHERE agent_id = ? LIMIT ${rowsAtOnce})`,
  ].map((statement) => db.prepare(statement));
  const few = ["configurations", "agent_versions", "keys", "webhooks"].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE agent_id = ?`),
  );
  const uploadsOf = db.prepare("SELECT body FROM uploads WHERE body ->> 'agentId' = ?");
  const dropSpent = db.prepare("DELETE FROM spent WHERE owner = ?");
  const dropBytes = db.prepare("DELETE FROM stored_bytes WHERE owner = ?");
  const dropPending = db.prepare("DELETE FROM pending_use WHERE owner = ?");
  const dropAgent = db.prepare("DELETE FROM agents WHERE id = ?");
  const dropOrganization = db.prepare("DELETE FROM organizations WHERE id = ?");
  const insertAudit = auditWriter(db);

  return {
    removeRuns: (ids) =>
      write(() => {
        for (const id of ids) {
          dropRun.run(id);
          dropErasure.run(id);
        }
      }),

    async removeAgent(agentId) {
      const uploads = read(() => uploadsOf.all(agentId)).map(({ body }) => JSON.parse(String(body)) as PendingUpload);
      await pendingUploads.remove(uploads.map(({ id }) => id));
      for (const statement of many) {
        while (Number(await write(() => statement.run(agentId).changes)) === rowsAtOnce);
      }
      await write(() => {
        for (const statement of [...few, dropSpent, dropBytes, dropPending, dropAgent]) statement.run(agentId);
      });
    },

    async removeOrganization(id, { audit } = {}) {
      secrets.remove(id);
      await database.scrub(); // before the record that lets the next start continue
      await write(() => {
        dropSpent.run(id);
        dropBytes.run(id);
        dropPending.run(id);
        if (dropOrganization.run(id).changes > 0 && audit) insertAudit(audit);
      });
      await database.scrub();
    },
  };
}

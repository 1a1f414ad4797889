import type { DatabaseSync } from "node:sqlite";
import type { Idempotency, KeptCreate, Run } from "../../runs/run-types.ts";

/** Creates and inputs by idempotency key. Both functions are part of the caller's transaction. */
export function localIdempotency(db: DatabaseSync) {
  const select = db.prepare("SELECT request, run_id AS runId FROM idempotency WHERE agent_id = ? AND key = ?");
  const insert = db.prepare("INSERT OR IGNORE INTO idempotency (agent_id, key, request, run_id) VALUES (?, ?, ?, ?)");
  return {
    find: (agentId: string, key: string): KeptCreate | undefined => {
      const row = select.get(agentId, key);
      return row && { runId: String(row["runId"]), request: String(row["request"]) };
    },
    /** False: the key belongs to an earlier request. */
    keep({ id, agentId }: Pick<Run, "id" | "agentId">, { key, request }: Idempotency): boolean {
      return insert.run(agentId, key, request, id).changes > 0;
    },
  };
}

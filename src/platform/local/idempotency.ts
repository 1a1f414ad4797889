import type { DatabaseSync } from "node:sqlite";
import type { Idempotency, KeptCreate, Run } from "../../runs/types.ts";

/** Creates by idempotency key. Both functions are part of the caller's transaction. */
export function localIdempotency(db: DatabaseSync) {
  const select = db.prepare("SELECT request, run_id AS runId FROM idempotency WHERE agent_id = ? AND key = ?");
  const insert = db.prepare("INSERT INTO idempotency (agent_id, key, request, run_id) VALUES (?, ?, ?, ?)");
  return {
    find: (agentId: string, key: string): KeptCreate | undefined => {
      const row = select.get(agentId, key);
      return row && { runId: String(row["runId"]), request: String(row["request"]) };
    },
    keep({ id, agentId }: Run, { key, request }: Idempotency): void {
      insert.run(agentId, key, request, id);
    },
  };
}

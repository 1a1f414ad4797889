import { cachedConfigurations } from "../../runs/cached-configurations.ts";
import type { Configurations } from "../../runs/ports.ts";
import type { Database } from "./database/sqlite.ts";

/**
 * Configurations in the database. They are kept: there is one per change of an agent, a model or a server's tools, and
 * finding out that no run refers to one any more would cost every journal entry an index.
 */
export function localConfigurations({ db, read, write }: Database): Configurations {
  const insert = db.prepare("INSERT OR IGNORE INTO configurations (agent_id, hash, body) VALUES (?, ?, ?)");
  const find = db.prepare("SELECT body FROM configurations WHERE agent_id = ? AND hash = ?");
  const store: Configurations = {
    put: (agentId, { hash, text }) => write(() => void insert.run(agentId, hash, text)),
    get: async (agentId, hash) => read(() => find.get(agentId, hash))?.["body"] as string | undefined,
  };
  return cachedConfigurations(store, { refreshMs: Infinity, now: Date.now });
}

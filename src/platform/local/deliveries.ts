import type { DatabaseSync } from "node:sqlite";
import type { Delivery } from "../../runs/deliveries.ts";
import type { Deliveries } from "../../runs/ports.ts";
import { auditWriter } from "./audit.ts";
import type { Database } from "./sqlite.ts";

/** The deliveries of one machine, which are sent by its server. */
export interface LocalDeliveries extends Deliveries {
  /** Pending deliveries that are due at a time, the longest due first: at most `perAgent` of each agent. */
  listDue(now: number, perAgent: number): Promise<DueDelivery[]>;
}

export type DueDelivery = Pick<Delivery, "id" | "agentId" | "attempts"> & { due: number };

/** Returns a function that inserts a delivery, as part of the transaction in progress. */
export function deliveryWriter(db: DatabaseSync): (delivery: Delivery) => void {
  const insert = db.prepare("INSERT INTO deliveries VALUES (NULL, ?, ?, ?, ?, ?, ?)");
  return (delivery) => {
    const { id, agentId, at, attempts, nextAttemptAt = null } = delivery;
    insert.run(id, agentId, at, attempts, nextAttemptAt, JSON.stringify(delivery));
  };
}

export function localDeliveries({ db, read, write }: Database): LocalDeliveries {
  const select = db.prepare("SELECT body FROM deliveries WHERE id = ?");
  const update = db.prepare("UPDATE deliveries SET attempts = ?, due = ?, body = ? WHERE id = ? AND attempts = ?");
  const newest = db.prepare(
    "SELECT body FROM deliveries WHERE agent_id = ? AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?",
  );
  // Reads one index entry per agent, however many deliveries are pending: DISTINCT would read all.
  const agents = db.prepare(`
    WITH RECURSIVE pending (agent) AS (
      SELECT min(agent_id) FROM deliveries WHERE due IS NOT NULL
      UNION ALL
      SELECT (SELECT min(agent_id) FROM deliveries WHERE due IS NOT NULL AND agent_id > agent) FROM pending
      WHERE agent IS NOT NULL
    )
    SELECT agent FROM pending WHERE agent IS NOT NULL`);
  const due = db.prepare(
    "SELECT id, agent_id AS agentId, attempts, due FROM deliveries WHERE agent_id = ? AND due <= ? ORDER BY due LIMIT ?",
  );
  const insert = deliveryWriter(db);
  const insertAudit = auditWriter(db);

  return {
    async find(id) {
      const row = read(() => select.get(id));
      return row && parse(row);
    },

    add: (delivery, { audit } = {}) =>
      write(() => {
        insert(delivery);
        if (audit) insertAudit(audit);
      }),

    recordAttempt: (delivery) =>
      write(() => {
        const { id, attempts, nextAttemptAt = null } = delivery;
        return update.run(attempts, nextAttemptAt, JSON.stringify(delivery), id, attempts - 1).changes > 0;
      }),

    async list({ agentId, after = { at: Number.MAX_SAFE_INTEGER, id: "" }, limit }) {
      const found = read(() => newest.all(agentId, after.at, after.id, limit + 1)).map(parse);
      const deliveries = found.slice(0, limit);
      const last = deliveries.at(-1);
      return { deliveries, ...(found.length > limit && last && { next: { at: last.at, id: last.id } }) };
    },

    listDue: async (now, perAgent) =>
      read(() => agents.all().flatMap(({ agent }) => due.all(String(agent), now, perAgent)))
        .map((row) => row as unknown as DueDelivery)
        .toSorted((a, b) => a.due - b.due),
  };
}

function parse({ body }: Record<string, unknown>): Delivery {
  return JSON.parse(String(body)) as Delivery;
}

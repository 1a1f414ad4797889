import type { DatabaseSync } from "node:sqlite";
import { webhookState } from "../../accounts/endpoints.ts";
import type { Webhook } from "../../accounts/account-types.ts";
import type { Delivery } from "../../runs/deliveries.ts";
import { deliveriesToEndpoints, isForEndpoints } from "../../runs/endpoint-deliveries.ts";
import type { Deliveries } from "../../runs/ports.ts";
import { auditWriter } from "./audit.ts";
import { rows } from "./database/query.ts";
import type { Database } from "./database/sqlite.ts";

/** The deliveries of one machine, which are sent by its server. */
export interface LocalDeliveries extends Deliveries {
  /** Where pending deliveries go, due or not. */
  listDestinations(): Promise<PendingDestination[]>;
  /** Pending deliveries to a destination that are due at a time, the longest due first. */
  listDue(destination: PendingDestination, now: number, limit: number): Promise<DueAttempt[]>;
}

/** `host`: of runs' own URLs, or the id of a further endpoint. Empty: the first endpoint of the agent's webhook. */
export interface PendingDestination {
  agentId: string;
  host: string;
}

export type DueAttempt = Pick<Delivery, "id" | "agentId" | "organizationId" | "attempts">;

/** Returns a function that inserts a delivery, as part of the transaction in progress. */
export function deliveryWriter(db: DatabaseSync): (delivery: Delivery) => void {
  const insert = db.prepare(
    "INSERT INTO deliveries (id, agent_id, at, attempts, due, body, destination) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  return (delivery) => {
    const { id, agentId, destination = "", endpointId = destination, at, attempts, nextAttemptAt = null } = delivery;
    insert.run(id, agentId, at, attempts, nextAttemptAt, JSON.stringify(delivery), endpointId);
  };
}

/** Returns a function that inserts the deliveries of an event to the endpoints that want it, as part of the transaction in progress. */
export function eventWriter(db: DatabaseSync): (delivery: Delivery) => void {
  const webhook = db.prepare("SELECT body FROM webhooks WHERE agent_id = ?");
  const insert = deliveryWriter(db);
  return (delivery) => {
    const row = isForEndpoints(delivery) ? webhook.get(delivery.agentId) : undefined;
    const state = row && webhookState(JSON.parse(String(row["body"])) as Webhook);
    for (const each of deliveriesToEndpoints(delivery, state)) insert(each);
  };
}

/** Reads one index entry per destination, however many deliveries are pending: DISTINCT would read all. */
const pendingDestinations = `
  WITH RECURSIVE pending (seq) AS (
    SELECT (SELECT seq FROM deliveries WHERE due IS NOT NULL ORDER BY agent_id, destination LIMIT 1)
    UNION ALL
    SELECT (
      SELECT next.seq FROM deliveries AS next
      WHERE next.due IS NOT NULL AND (next.agent_id, next.destination) > (before.agent_id, before.destination)
      ORDER BY next.agent_id, next.destination LIMIT 1
    ) FROM pending JOIN deliveries AS before USING (seq)
  )
  SELECT agent_id AS agentId, destination AS host FROM pending JOIN deliveries USING (seq)`;

export function localDeliveries({ db, read, write }: Database): LocalDeliveries {
  const select = db.prepare("SELECT body FROM deliveries WHERE id = ?");
  const update = db.prepare("UPDATE deliveries SET attempts = ?, due = ?, body = ? WHERE id = ? AND attempts = ?");
  const dropOfErased = db.prepare(
    "DELETE FROM deliveries WHERE id = ? AND EXISTS (SELECT 1 FROM runs WHERE runs.id = ? AND status = 'terminated' AND name = '')",
  );
  const newest = db.prepare(
    "SELECT body FROM deliveries WHERE agent_id = ?1 AND (at, id) < (?2, ?3) AND (?4 IS NULL OR destination = ?4) " +
      "ORDER BY at DESC, id DESC LIMIT ?5",
  );
  const destinations = rows<PendingDestination>(db, pendingDestinations);
  const due = rows<DueAttempt>(
    db,
    `
    SELECT id, agent_id AS agentId, body ->> 'organizationId' AS organizationId, attempts FROM deliveries
    WHERE agent_id = ? AND destination = ? AND due <= ? ORDER BY due LIMIT ?`,
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
        const { id, runId, attempts, nextAttemptAt = null } = delivery;
        const recorded = update.run(attempts, nextAttemptAt, JSON.stringify(delivery), id, attempts - 1).changes > 0;
        if (recorded && nextAttemptAt === null) dropOfErased.run(id, runId); // an erased run has no name
        return recorded;
      }),

    async list({ agentId, endpointId, after = { at: Number.MAX_SAFE_INTEGER, id: "" }, limit }) {
      const column = endpointId === "first" ? "" : (endpointId ?? null);
      const found = read(() => newest.all(agentId, after.at, after.id, column, limit + 1)).map(parse);
      const deliveries = found.slice(0, limit);
      const last = deliveries.at(-1);
      return { deliveries, ...(found.length > limit && last && { next: { at: last.at, id: last.id } }) };
    },

    listDestinations: async () => read(() => destinations.all()),

    listDue: async ({ agentId, host }, now, limit) => read(() => due.all(agentId, host, now, limit)),
  };
}

function parse({ body }: Record<string, unknown>): Delivery {
  return JSON.parse(String(body)) as Delivery;
}

import type { DatabaseSync } from "node:sqlite";
import type { Delivery } from "../../runs/deliveries.ts";
import type { Deliveries } from "../../runs/ports.ts";
import type { Database } from "./sqlite.ts";

/** Returns a function that inserts a delivery, as part of the transaction in progress. */
export function deliveryWriter(db: DatabaseSync): (delivery: Delivery) => void {
  const insert = db.prepare("INSERT INTO deliveries VALUES (NULL, ?, ?, ?, ?, ?, ?)");
  return (delivery) => {
    const { id, agentId, at, attempts, nextAttemptAt = null } = delivery;
    insert.run(id, agentId, at, attempts, nextAttemptAt, JSON.stringify(delivery));
  };
}

export function localDeliveries({ db, read }: Database): Deliveries {
  const select = db.prepare("SELECT body FROM deliveries WHERE id = ?");
  return {
    async find(id) {
      const row = read(() => select.get(id));
      return row && (JSON.parse(String(row["body"])) as Delivery);
    },
  };
}

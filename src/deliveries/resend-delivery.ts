import { randomBytes } from "node:crypto";
import { type Actor, along } from "../accounts/audit.ts";
import { ServiceError } from "../errors.ts";
import type { Delivery } from "../runs/deliveries.ts";
import type { Stores } from "../runs/ports.ts";

/**
 * Sends the message of a delivery again, as a new delivery with its own attempts. The receiver sees the same `webhook-id`.
 * `id`: of the delivery, as in the list.
 */
export async function resendDelivery(
  { deliveries }: Pick<Stores, "deliveries">,
  id: string,
  actor?: Actor,
): Promise<Delivery> {
  const before = await findDelivery(deliveries, id);
  const { lastAttempt: _, ...message } = before;
  const now = Date.now();
  const again = `${before.messageId}_${randomBytes(6).toString("hex")}`;
  const delivery: Delivery = { ...message, id: again, attempts: 0, state: "pending", nextAttemptAt: now };
  await deliveries.add(
    delivery,
    along(actor, "delivery.resend", again, now, { organizationId: before.organizationId }),
  );
  return delivery;
}

/** A delivery. `id`: as in the list. */
export async function findDelivery(deliveries: Pick<Stores["deliveries"], "find">, id: string): Promise<Delivery> {
  const found = await deliveries.find(id.trim());
  if (!found) throw new ServiceError("delivery_not_found", `delivery ${JSON.stringify(id)} does not exist`);
  return found;
}

import type { SendOutcome } from "../../../deliveries/send-delivery.ts";
import { maxDelaySeconds } from "./delivery-limits.ts";
import type { DeliveryQueue, DueDelivery } from "./delivery-queue.ts";
import type { DeliverySchedules } from "./delivery-schedules.ts";

export interface DueDeliveryDeps {
  queue: DeliveryQueue;
  schedules: DeliverySchedules;
  /** Sends a delivery and records the attempt: `sendDelivery`. */
  send: (id: string, attempts: number) => Promise<SendOutcome>;
  now: () => number;
}

/**
 * Handles a message of the queue: sends the delivery, and enqueues the next attempt if one is needed. The message may be
 * deleted afterwards, and only then: until it is, SQS delivers it again. So a crash loses nothing:
 *
 * - before the attempt is recorded: the repeated message sends again, and the receiver may get it twice;
 * - between the record and the next message: the repeated message sends nothing, because an attempt is recorded that it does
 *   not know, and enqueues the next one;
 * - after the next message: the repeated message adds a second one for the same attempt. The first of the two that is
 *   handled sends, and the other finds its attempt recorded. Schedules are named after the attempt, so there is only one.
 *
 * A message of a schedule goes back to the queue with its group, so that it waits behind those of other groups.
 */
export async function handleDue(
  { queue, schedules, send, now }: DueDeliveryDeps,
  { isScheduled, ...due }: DueDelivery,
): Promise<void> {
  if (isScheduled) return queue.send(due);
  const outcome = await send(due.id, due.attempts);
  if (outcome === "done") return;
  const { attempts, retryAt } = outcome;
  // The attempt after the one of this message was made, so its own message enqueues the next one.
  if (attempts > due.attempts + 1) return;
  const next = { ...due, attempts };
  const seconds = Math.max(0, Math.ceil((retryAt - now()) / 1_000));
  await (seconds <= maxDelaySeconds ? queue.send(next, seconds) : schedules.create(next, retryAt));
}

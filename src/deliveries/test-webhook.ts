import { randomUUID } from "node:crypto";
import { type Actor, along } from "../accounts/audit.ts";
import type { Accounts } from "../accounts/account-types.ts";
import { endpointName, endpointOf } from "../accounts/endpoints.ts";
import { findWebhookRecord } from "../accounts/webhooks.ts";
import { ServiceError } from "../errors.ts";
import { type Delivery, noRun } from "../runs/deliveries.ts";
import type { Stores } from "../runs/ports.ts";

interface Deps {
  accounts: Accounts;
  deliveries: Pick<Stores["deliveries"], "add">;
}

/**
 * Sends a test message to an endpoint of an agent's webhook; default: the first. It is signed, and its delivery is listed, like
 * those of other messages. It is sent once. Throws if the endpoint has no URL or is disabled.
 */
export async function testWebhook(
  { accounts, deliveries }: Deps,
  agentId: string,
  actor?: Actor,
  endpointId?: string,
): Promise<Delivery> {
  const webhook = await findWebhookRecord(accounts, agentId);
  const { organizationId } = webhook;
  const { url, enabled } = endpointOf(webhook, endpointId);
  const name = endpointName(endpointId);
  if (url === undefined) throw new ServiceError("invalid_argument", `the ${name} has no URL; set one first`);
  if (!enabled) throw new ServiceError("invalid_argument", `the ${name} is disabled; enable it first`);
  const at = Date.now();
  const id = `msg_${randomUUID().replaceAll("-", "")}_0_test`;
  const message = { id, messageId: id, agentId: webhook.agentId, organizationId, type: "webhook.test", at } as const;
  // As of a run, so that a receiver can handle it like others.
  const run = { runId: noRun, turn: 0, status: "finished" } as const;
  const endpoint = endpointId === undefined ? {} : { endpointId };
  const delivery: Delivery = { ...message, ...run, ...endpoint, attempts: 0, state: "pending", nextAttemptAt: at };
  await deliveries.add(delivery, along(actor, "webhook.test", webhook.agentId, at, { organizationId }));
  return delivery;
}

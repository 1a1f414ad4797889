import { ApiError, call } from "../api/client.ts";
import type { Page, Schemas } from "../api/types.ts";

export type Webhook = Schemas["Webhook"];
export type ChangedWebhook = Schemas["ChangedWebhook"];
export type Delivery = Schemas["Delivery"];

/** What an operator sets. */
export type WebhookSettings = Pick<Webhook, "url" | "enabled" | "private_addresses">;

/** Null: the agent has none. */
export async function readWebhook(agentId: string, signal: AbortSignal): Promise<Webhook | null> {
  try {
    return await call("get_webhook", { agent_id: agentId }, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.code === "webhook_not_found") return null;
    throw error;
  }
}

export function setWebhook(agentId: string, settings: WebhookSettings): Promise<ChangedWebhook> {
  return call("set_webhook", { agent_id: agentId }, { body: settings });
}

export function removeWebhook(agentId: string): Promise<undefined> {
  return call("remove_webhook", { agent_id: agentId });
}

export function rotateSecret(agentId: string): Promise<ChangedWebhook> {
  return call("rotate_webhook_secret", { agent_id: agentId });
}

export function testWebhook(agentId: string): Promise<Delivery> {
  return call("test_webhook", { agent_id: agentId });
}

/** The newest deliveries, at most `limit`. */
export function readDeliveries(agentId: string, limit: number, signal: AbortSignal): Promise<Page<Delivery>> {
  return call("list_deliveries", { agent_id: agentId, limit }, { signal });
}

export function resendDelivery(id: string): Promise<Delivery> {
  return call("resend_delivery", { delivery_id: id });
}

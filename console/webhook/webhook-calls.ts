import { ApiError, change, get } from "../api/client.ts";
import type { Page, Schemas } from "../api/types.ts";

export type Webhook = Schemas["Webhook"];
export type ChangedWebhook = Schemas["ChangedWebhook"];
export type Delivery = Schemas["Delivery"];

/** What an operator sets. */
export type WebhookSettings = Pick<Webhook, "url" | "enabled" | "private_addresses">;

/** Null: the agent has none. */
export async function readWebhook(agentId: string, signal: AbortSignal): Promise<Webhook | null> {
  try {
    return await get(`/agents/${agentId}/webhook`, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.code === "webhook_not_found") return null;
    throw error;
  }
}

export function setWebhook(agentId: string, settings: WebhookSettings): Promise<ChangedWebhook> {
  return change("PUT", `/agents/${agentId}/webhook`, settings);
}

export function removeWebhook(agentId: string): Promise<void> {
  return change("DELETE", `/agents/${agentId}/webhook`);
}

export function rotateSecret(agentId: string): Promise<ChangedWebhook> {
  return change("POST", `/agents/${agentId}/webhook/rotate-secret`);
}

/** The newest deliveries, at most `limit`. */
export function readDeliveries(agentId: string, limit: number, signal: AbortSignal): Promise<Page<Delivery>> {
  return get(`/agents/${agentId}/deliveries`, { query: { limit }, signal });
}

export function resendDelivery(id: string): Promise<Delivery> {
  return change("POST", `/deliveries/${id}/resend`);
}

import { operations } from "../../src/manage/generated/webhook-operations.ts";
import { ApiError, call } from "../api/client.ts";
import { addOperations } from "../api/operations.ts";
import type { Page, Schemas } from "../api/types.ts";

addOperations(operations);

export type Webhook = Schemas["Webhook"];
export type ChangedWebhook = Schemas["ChangedWebhook"];
export type Endpoint = Schemas["WebhookEndpoint"];
/** The webhook, which is the first endpoint, or a further one. */
export type Receiver = Webhook | Endpoint;
export type ChangedReceiver = ChangedWebhook | Schemas["ChangedWebhookEndpoint"];
export type Delivery = Schemas["Delivery"];

/** What an operator sets. */
export type WebhookSettings = Pick<Webhook, "url" | "enabled" | "event_types" | "private_addresses">;

/** The id of a further endpoint. Undefined: the first. */
export function endpointIdOf(receiver: Receiver | undefined): string | undefined {
  return receiver && "id" in receiver ? receiver.id : undefined;
}

/** Null: the agent has none. */
export async function readWebhook(agentId: string, signal: AbortSignal): Promise<Webhook | null> {
  try {
    return await call("get_webhook", { agent_id: agentId }, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.code === "webhook_not_found") return null;
    throw error;
  }
}

/** The endpoints besides the first, oldest first. */
export async function readEndpoints(agentId: string, signal: AbortSignal): Promise<Endpoint[]> {
  return (await call("list_webhook_endpoints", { agent_id: agentId }, { signal })).data;
}

/** A further endpoint needs a URL: the service says so. */
export function addEndpoint(agentId: string, settings: WebhookSettings): Promise<ChangedReceiver> {
  return call("create_webhook_endpoint", { agent_id: agentId }, { body: { ...settings, url: settings.url ?? "" } });
}

/** Without `id`, of the first endpoint. */
export function setWebhook(agentId: string, settings: WebhookSettings, id?: string): Promise<ChangedReceiver> {
  if (id === undefined) return call("set_webhook", { agent_id: agentId }, { body: settings });
  const body = { ...settings, url: settings.url ?? "" };
  return call("set_webhook_endpoint", { agent_id: agentId, endpoint_id: id }, { body });
}

/** Without `id`, the first endpoint. */
export function removeWebhook(agentId: string, id?: string): Promise<undefined> {
  if (id === undefined) return call("remove_webhook", { agent_id: agentId });
  return call("remove_webhook_endpoint", { agent_id: agentId, endpoint_id: id });
}

/** Without `id`, of the first endpoint. */
export function rotateSecret(agentId: string, id?: string): Promise<ChangedReceiver> {
  if (id === undefined) return call("rotate_webhook_secret", { agent_id: agentId });
  return call("rotate_webhook_endpoint_secret", { agent_id: agentId, endpoint_id: id });
}

/** Without `id`, to the first endpoint. */
export function testWebhook(agentId: string, id?: string): Promise<Delivery> {
  if (id === undefined) return call("test_webhook", { agent_id: agentId });
  return call("test_webhook_endpoint", { agent_id: agentId, endpoint_id: id });
}

/** Which deliveries are read: the newest, at most `limit`. `endpoint`: as the parameter `endpoint_id`; empty: all. */
export interface DeliveryChoice {
  endpoint: string;
  limit: number;
}

export function readDeliveries(
  agentId: string,
  { endpoint, limit }: DeliveryChoice,
  signal: AbortSignal,
): Promise<Page<Delivery>> {
  const of = endpoint === "" ? {} : { endpoint_id: endpoint };
  return call("list_deliveries", { agent_id: agentId, limit, ...of }, { signal });
}

export function resendDelivery(id: string): Promise<Delivery> {
  return call("resend_delivery", { delivery_id: id });
}

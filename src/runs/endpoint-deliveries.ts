import type { WebhookState } from "../accounts/account-types.ts";
import type { Delivery } from "./deliveries.ts";

/** Whether a delivery is the first of an event that goes to the agent's webhook, whose endpoints each may want it. */
export function isForEndpoints({ id, messageId, destination, endpointId, type }: Delivery): boolean {
  const isFirst = id === messageId && type !== "webhook.test"; // otherwise, an operator sends it again, or tries an endpoint
  return isFirst && destination === undefined && endpointId === undefined;
}

/**
 * The deliveries of an event to the endpoints that want it: that of the first endpoint, which is `delivery` itself, and one for each
 * further endpoint, with an id made of both. An endpoint that is disabled gets none, but for the first if it is the only one:
 * then the list of deliveries says why nothing was sent.
 */
export function deliveriesToEndpoints(delivery: Delivery, webhook: WebhookState | undefined): Delivery[] {
  const { type } = delivery;
  if (!webhook || type === "webhook.test" || !isForEndpoints(delivery)) return [delivery];
  const { endpoints = [], types, enabled, hasUrl } = webhook;
  const isWanted = types?.includes(type) ?? true;
  const toFirst = isWanted && (endpoints.length === 0 || (enabled && hasUrl));
  const others = endpoints.filter((endpoint) => endpoint.enabled && (endpoint.types?.includes(type) ?? true));
  return [...(toFirst ? [delivery] : []), ...others.map(({ id }) => toEndpoint(delivery, id))];
}

function toEndpoint(delivery: Delivery, endpointId: string): Delivery {
  return { ...delivery, id: `${delivery.messageId}_${endpointId}`, endpointId };
}

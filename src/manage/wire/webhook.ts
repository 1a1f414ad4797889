import type { EndpointView, FurtherEndpointView, WebhookView } from "../../accounts/account-types.ts";
import { type ChangedWebhook, oldSecretsValidUntil } from "../../accounts/webhooks.ts";
import type { Delivery } from "../../runs/deliveries.ts";
import type { Schemas } from "../call.ts";
import { wire } from "./by-schema.ts";

/** The first endpoint of a webhook without its secrets. */
export function wireWebhook(webhook: WebhookView): Schemas["Webhook"] {
  return wire("Webhook", { ...webhook, ...shared(webhook) });
}

/** A further endpoint of a webhook without its secrets. */
export function wireEndpoint({ agentId }: WebhookView, endpoint: FurtherEndpointView): Schemas["WebhookEndpoint"] {
  return wire("WebhookEndpoint", { url: "", ...endpoint, agentId, ...shared(endpoint) });
}

function shared(endpoint: EndpointView) {
  return {
    eventTypes: endpoint.types,
    disabledReason: endpoint.disabled?.reason,
    secretCreatedAt: endpoint.secrets[0]?.createdAt ?? endpoint.createdAt,
    oldSecretValidUntil: oldSecretsValidUntil(endpoint, Date.now()),
  };
}

export function wireChangedWebhook({ webhook, secret }: ChangedWebhook): Schemas["ChangedWebhook"] {
  return { ...wireWebhook(webhook), secret: secret ?? null };
}

export function wireChangedEndpoint(changed: ChangedWebhook): Schemas["ChangedWebhookEndpoint"] {
  const { webhook, endpointId, secret } = changed;
  const endpoint = webhook.endpoints?.find(({ id }) => id === endpointId);
  if (!endpoint) throw new Error(`endpoint ${endpointId} is missing after its change`);
  return { ...wireEndpoint(webhook, endpoint), secret: secret ?? null };
}

export function wireDelivery(delivery: Delivery): Schemas["Delivery"] {
  return wire("Delivery", delivery);
}

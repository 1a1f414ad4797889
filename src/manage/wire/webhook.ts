import type { EndpointView, FurtherEndpointView, WebhookView } from "../../accounts/types.ts";
import { type ChangedWebhook, oldSecretsValidUntil } from "../../accounts/webhooks.ts";
import { timeOf } from "../../http/rest/wire/time.ts";
import type { Delivery, DeliveryAttempt } from "../../runs/deliveries.ts";
import type { Schemas } from "../call.ts";

/** The first endpoint of a webhook without its secrets. */
export function wireWebhook(webhook: WebhookView): Schemas["Webhook"] {
  const { agentId, url, enabled } = webhook;
  return { agent_id: agentId, url: url ?? null, enabled, ...sharedFields(webhook) };
}

/** A further endpoint of a webhook without its secrets. */
export function wireEndpoint({ agentId }: WebhookView, endpoint: FurtherEndpointView): Schemas["WebhookEndpoint"] {
  const { id, url = "", enabled } = endpoint;
  return { id, agent_id: agentId, url, enabled, ...sharedFields(endpoint) };
}

function sharedFields(endpoint: EndpointView) {
  const { types, disabled, privateAddresses, secrets, createdAt, updatedAt } = endpoint;
  return {
    event_types: types ?? null,
    disabled_reason: disabled?.reason ?? null,
    private_addresses: privateAddresses,
    secret_created_at: timeOf(secrets[0]?.createdAt ?? createdAt),
    old_secret_valid_until: timeOf(oldSecretsValidUntil(endpoint, Date.now())),
    created_at: timeOf(createdAt),
    updated_at: timeOf(updatedAt),
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
  const { id, messageId, endpointId, runId, turn, type, state, at, attempts, nextAttemptAt, lastAttempt } = delivery;
  return {
    id,
    message_id: messageId,
    endpoint_id: endpointId ?? null,
    run_id: runId,
    turn,
    type,
    state,
    at: timeOf(at),
    attempts,
    next_attempt_at: timeOf(nextAttemptAt),
    last_attempt: lastAttempt ? wireAttempt(lastAttempt) : null,
  };
}

function wireAttempt({ at, status, problem, milliseconds }: DeliveryAttempt): Schemas["DeliveryAttempt"] {
  return { at: timeOf(at), status: status ?? null, problem: problem ?? null, milliseconds };
}

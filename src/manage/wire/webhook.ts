import type { WebhookView } from "../../accounts/types.ts";
import { type ChangedWebhook, oldSecretsValidUntil } from "../../accounts/webhooks.ts";
import { timeOf } from "../../http/rest/wire/time.ts";
import type { Delivery, DeliveryAttempt } from "../../runs/deliveries.ts";
import type { Schemas } from "../call.ts";

/** A webhook without its secrets. */
export function wireWebhook(webhook: WebhookView): Schemas["Webhook"] {
  const { agentId, url, enabled, disabled, privateAddresses, secrets, createdAt, updatedAt } = webhook;
  return {
    agent_id: agentId,
    url: url ?? null,
    enabled,
    disabled_reason: disabled?.reason ?? null,
    private_addresses: privateAddresses,
    secret_created_at: timeOf(secrets[0]?.createdAt ?? createdAt),
    old_secret_valid_until: timeOf(oldSecretsValidUntil(webhook, Date.now())),
    created_at: timeOf(createdAt),
    updated_at: timeOf(updatedAt),
  };
}

export function wireChangedWebhook({ webhook, secret }: ChangedWebhook): Schemas["ChangedWebhook"] {
  return { ...wireWebhook(webhook), secret: secret ?? null };
}

export function wireDelivery(delivery: Delivery): Schemas["Delivery"] {
  const { id, messageId, runId, turn, type, state, at, attempts, nextAttemptAt, lastAttempt } = delivery;
  return {
    id,
    message_id: messageId,
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

import type { WebhookState } from "../../accounts/account-types.ts";
import { checkWebhookUrl, type WebhookUrlRules } from "../../accounts/webhook-url.ts";
import { ServiceError } from "../../errors.ts";
import type { WebhookTarget } from "../run-types.ts";

/**
 * Where the ends of a new run's turns are reported: `url` if the create names one, otherwise the agent's webhook. `state`: of
 * that webhook, if there is one. Rejects if nothing could sign the messages to `url`, or it leads to a refused address.
 */
export function webhookTarget(
  url: string | undefined,
  state: WebhookState | undefined,
  addresses?: WebhookUrlRules["addresses"],
): WebhookTarget | undefined {
  if (url === undefined) return state && hasReceiver(state) ? "agent" : undefined;
  if (!state?.configured) {
    throw new ServiceError(
      "webhook_not_configured",
      "the agent has no webhook secret, so messages to the run's URL cannot be signed; an operator creates one with `webhook set`",
    );
  }
  checkWebhookUrl(url, { privateAddresses: state.privateAddresses, addresses });
  return url;
}

/** Whether an endpoint of the agent's webhook is enabled. */
function hasReceiver({ configured, enabled, hasUrl, endpoints = [] }: WebhookState): boolean {
  return (configured && enabled && hasUrl) || endpoints.some((endpoint) => endpoint.enabled);
}

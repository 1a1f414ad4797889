import { ServiceError } from "../errors.ts";
import type {
  EndpointView,
  FurtherEndpoint,
  Webhook,
  WebhookEndpoint,
  WebhookState,
  WebhookView,
} from "./account-types.ts";

/** The first endpoint, or a further one. */
type EndpointIn<Owner extends WebhookView> = Owner | NonNullable<Owner["endpoints"]>[number];

/** As `findEndpoint`. Throws if there is none. */
export function endpointOf<Owner extends WebhookView>(webhook: Owner, id?: string): EndpointIn<Owner> {
  const found = findEndpoint(webhook, id);
  if (found && isConfigured(found)) return found;
  if (id === undefined)
    throw new ServiceError("webhook_not_found", `agent ${webhook.agentId} has no webhook; set one first`);
  const advice = "`webhook endpoints` lists those that it has";
  throw new ServiceError(
    "webhook_not_found",
    `agent ${webhook.agentId} has no endpoint ${JSON.stringify(id)}; ${advice}`,
  );
}

/** The endpoint of a webhook with an id; without one, the first, which is the webhook itself, configured or not. */
export function findEndpoint<Owner extends WebhookView>(
  webhook: Owner,
  id: string | undefined,
): EndpointIn<Owner> | undefined {
  return id === undefined ? webhook : webhook.endpoints?.find((endpoint) => endpoint.id === id);
}

/** The name of an endpoint in messages, after “the”. */
export function endpointName(id: string | undefined): string {
  return id === undefined ? "webhook of the agent" : `endpoint ${id}`;
}

/** A webhook with another first endpoint, or another further one. Undefined: the endpoint is removed. */
export function withEndpoint(webhook: Webhook, id: string | undefined, next: WebhookEndpoint | undefined): Webhook {
  const { agentId, organizationId, revision, endpoints } = webhook;
  const record = { agentId, organizationId, ...(revision !== undefined && { revision }) };
  if (id === undefined) return { ...record, ...(endpoints && { endpoints }), ...(next ?? noEndpoint(Date.now())) };
  const replacement = next ? [{ id, ...next }] : [];
  const changed = (endpoints ?? []).flatMap((each) => (each.id === id ? replacement : each));
  const { endpoints: _, ...first } = webhook;
  return { ...first, ...(changed.length > 0 && { endpoints: changed }) };
}

/** The first endpoint of a webhook that was not set, or was removed. */
export function noEndpoint(updatedAt = 0): WebhookEndpoint {
  return { secrets: [], enabled: false, privateAddresses: false, createdAt: 0, updatedAt };
}

export function isConfigured({ secrets }: EndpointView): boolean {
  return secrets.length > 0;
}

/** The parts of a webhook that the create and the end of a run need. */
export function webhookState(webhook: Webhook): WebhookState {
  const { url, types, enabled, privateAddresses, endpoints } = webhook;
  return {
    configured: isConfigured(webhook),
    enabled,
    hasUrl: url !== undefined,
    privateAddresses,
    ...(types && { types }),
    ...(endpoints && { endpoints: endpoints.map(endpointState) }),
  };
}

function endpointState({ id, enabled, types }: FurtherEndpoint): Pick<FurtherEndpoint, "id" | "enabled" | "types"> {
  return { id, enabled, ...(types && { types }) };
}

/** A webhook without its secrets themselves. */
export function webhookView({ endpoints, ...webhook }: Webhook): WebhookView {
  return { ...withoutSecrets(webhook), ...(endpoints && { endpoints: endpoints.map(withoutSecrets) }) };
}

function withoutSecrets<Endpoint extends WebhookEndpoint>({ secrets, ...endpoint }: Endpoint) {
  const times = secrets.map(({ createdAt, expiresAt }) => ({
    createdAt,
    ...(expiresAt !== undefined && { expiresAt }),
  }));
  return { ...endpoint, secrets: times };
}

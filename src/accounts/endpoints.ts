import { ServiceError } from "../errors.ts";
import type {
  EndpointView,
  FurtherEndpoint,
  FurtherEndpointView,
  Webhook,
  WebhookEndpoint,
  WebhookState,
  WebhookView,
} from "./types.ts";

/** The endpoint of a webhook with an id; without one, the first, which is the webhook itself. Throws if there is none. */
export function endpointOf(webhook: Webhook, id?: string): WebhookEndpoint;
export function endpointOf(webhook: WebhookView, id?: string): EndpointView;
export function endpointOf(webhook: WebhookView, id?: string): EndpointView {
  const found = id === undefined ? webhook : findEndpoint(webhook, id);
  if (found && isConfigured(found)) return found;
  if (id === undefined)
    throw new ServiceError("webhook_not_found", `agent ${webhook.agentId} has no webhook; set one first`);
  const advice = "`webhook endpoints` lists those that it has";
  throw new ServiceError(
    "webhook_not_found",
    `agent ${webhook.agentId} has no endpoint ${JSON.stringify(id)}; ${advice}`,
  );
}

export function findEndpoint(webhook: Webhook, id: string): FurtherEndpoint | undefined;
export function findEndpoint(webhook: WebhookView, id: string): FurtherEndpointView | undefined;
export function findEndpoint({ endpoints = [] }: WebhookView, id: string): FurtherEndpointView | undefined {
  return endpoints.find((endpoint) => endpoint.id === id);
}

/** A webhook with another first endpoint, or another further one. Undefined: the endpoint is removed. */
export function withEndpoint(webhook: Webhook, id: string | undefined, next: WebhookEndpoint | undefined): Webhook {
  const { agentId, organizationId, revision, endpoints } = webhook;
  const record = { agentId, organizationId, ...(revision !== undefined && { revision }) };
  if (id === undefined) return { ...record, ...(endpoints && { endpoints }), ...(next ?? noEndpoint()) };
  const replacement = next ? [{ id, ...next }] : [];
  const changed = (endpoints ?? []).flatMap((each) => (each.id === id ? replacement : each));
  const { endpoints: _, ...first } = webhook;
  return { ...first, ...(changed.length > 0 && { endpoints: changed }) };
}

/** The first endpoint without what belongs to the whole record. */
export function firstEndpoint(webhook: Webhook): WebhookEndpoint {
  const { agentId: _agent, organizationId: _organization, revision: _revision, endpoints: _, ...first } = webhook;
  return first;
}

/** The first endpoint of a webhook that was not set, or was removed. */
export function noEndpoint(updatedAt = 0): WebhookEndpoint {
  return { secrets: [], enabled: false, privateAddresses: false, createdAt: 0, updatedAt };
}

export function isConfigured({ secrets }: EndpointView): boolean {
  return secrets.length > 0;
}

/** What the create and the end of a run need to know of a webhook. */
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

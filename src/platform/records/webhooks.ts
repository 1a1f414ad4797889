import type { EndpointView, Webhook, WebhookState, WebhookView } from "../../accounts/account-types.ts";
import { webhookState, webhookView } from "../../accounts/endpoints.ts";
import { head } from "../aws/dynamodb/table.ts";
import type { Kind, Part } from "./port.ts";

/**
 * Attributes of a webhook's item. Permissions can be limited to some: functions that create runs read `state` only, and
 * viewers do not read `secretValues`.
 */
interface WebhookItem {
  view: WebhookView;
  state: WebhookState;
  /** In the order of `view.secrets`. */
  secretValues: string[];
  /** Of the further endpoints, by id. Absent: there are none. */
  endpointSecrets?: Record<string, string[]>;
  revision: number | undefined;
}

/** The webhooks of agents. */
export const webhooks: Kind<Webhook> = {
  keyOf: ({ agentId }) => [agentId],
  row: { table: "webhooks", key: ["agent_id"], kept: true },
  item: {
    key: (agentId) => ({ pk: `WEBHOOK#${agentId}`, sk: head }),
    attributes: (webhook) => ({ ...toItem(webhook) }),
    record: (attributes) => withAllSecrets(attributes),
  },
};

export const webhookViews: Part<Webhook, WebhookView> = { kind: webhooks, attribute: "view", of: webhookView };
export const webhookStates: Part<Webhook, WebhookState> = { kind: webhooks, attribute: "state", of: webhookState };

function toItem(webhook: Webhook): WebhookItem {
  const { secrets, revision, endpoints } = webhook;
  const ofEndpoints = endpoints?.map((endpoint) => [endpoint.id, endpoint.secrets.map(({ value }) => value)]);
  return {
    view: webhookView(webhook),
    state: webhookState(webhook),
    secretValues: secrets.map(({ value }) => value),
    ...(ofEndpoints && { endpointSecrets: Object.fromEntries(ofEndpoints) as Record<string, string[]> }),
    revision,
  };
}

function withAllSecrets({ view, secretValues = [], endpointSecrets = {} }: Partial<WebhookItem>): Webhook | undefined {
  if (!view) return undefined;
  const { endpoints, ...first } = view;
  const further = endpoints?.map((endpoint) => withSecrets(endpoint, endpointSecrets[endpoint.id] ?? []));
  return { ...withSecrets(first, secretValues), ...(further && { endpoints: further }) };
}

function withSecrets<View extends EndpointView>(view: View, values: string[]) {
  const secrets = view.secrets.flatMap((secret, index) => {
    const value = values[index];
    return value === undefined ? [] : [{ value, ...secret }];
  });
  return { ...view, secrets };
}

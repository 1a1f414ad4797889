import { randomUUID } from "node:crypto";
import { GetCommand, type GetCommandInput, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { Accounts, EndpointView, Webhook, WebhookState, WebhookView } from "../../accounts/types.ts";
import { webhookState, webhookView } from "../../accounts/endpoints.ts";
import { auditItem } from "./audit.ts";
import type { DynamoTable } from "./sdk/clients.ts";
import { sendConditional } from "./dynamodb/conditional-write.ts";
import { head } from "./dynamodb/table.ts";

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
  revision: number;
}

/** The webhooks of agents. */
export function awsWebhooks({
  documents,
  table,
}: DynamoTable): Pick<Accounts, "findWebhook" | "findWebhookView" | "findWebhookState" | "replaceWebhook"> {
  async function find(agentId: string, limited: Partial<GetCommandInput> = {}): Promise<Partial<WebhookItem>> {
    const command = { TableName: table, Key: keyOf(agentId), ConsistentRead: true, ...limited };
    const { Item = {} } = await documents.send(new GetCommand(command));
    return Item as Partial<WebhookItem>;
  }

  return {
    async findWebhook(agentId) {
      const item = await find(agentId);
      return item.view && withAllSecrets(item.view, item);
    },

    async findWebhookView(agentId) {
      const names = { ExpressionAttributeNames: { "#view": "view" } }; // a reserved word
      return (await find(agentId, { ProjectionExpression: "#view", ...names })).view;
    },

    async findWebhookState(agentId) {
      const names = { ExpressionAttributeNames: { "#state": "state" } }; // a reserved word
      return (await find(agentId, { ProjectionExpression: "#state", ...names })).state;
    },

    async replaceWebhook(webhook, { audit } = {}) {
      const { agentId, revision } = webhook;
      const next = { ...webhook, revision: (revision ?? 0) + 1 };
      const condition =
        revision === undefined
          ? { ConditionExpression: "attribute_not_exists(pk)" }
          : { ConditionExpression: "revision = :revision", ExpressionAttributeValues: { ":revision": revision } };
      const puts = [
        { TableName: table, Item: { ...toItem(next), ...keyOf(agentId) }, ...condition },
        ...(audit ? [{ TableName: table, Item: auditItem(audit) }] : []),
      ];
      return sendConditional(async () => {
        const TransactItems = puts.map((Put) => ({ Put }));
        await documents.send(new TransactWriteCommand({ TransactItems, ClientRequestToken: randomUUID() }));
        return next;
      });
    },
  };
}

function keyOf(agentId: string): { pk: string; sk: string } {
  return { pk: `WEBHOOK#${agentId}`, sk: head };
}

function toItem(webhook: Webhook & { revision: number }): WebhookItem {
  const { secrets, revision, endpoints } = webhook;
  const secretValues = secrets.map(({ value }) => value);
  const ofEndpoints = endpoints?.map((endpoint) => [endpoint.id, endpoint.secrets.map(({ value }) => value)]);
  return {
    view: webhookView(webhook),
    state: webhookState(webhook),
    secretValues,
    ...(ofEndpoints && { endpointSecrets: Object.fromEntries(ofEndpoints) as Record<string, string[]> }),
    revision,
  };
}

function withAllSecrets(view: WebhookView, { secretValues = [], endpointSecrets = {} }: Partial<WebhookItem>): Webhook {
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

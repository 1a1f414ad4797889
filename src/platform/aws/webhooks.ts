import { randomUUID } from "node:crypto";
import { GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { Accounts, Webhook, WebhookState } from "../../accounts/types.ts";
import { webhookState } from "../../accounts/webhooks.ts";
import { auditItem } from "./audit.ts";
import type { DynamoTable } from "./clients.ts";
import { sendConditional } from "./conditional-write.ts";
import { head } from "./table.ts";

/**
 * The webhooks of agents. `state` is an attribute besides those of the record, so that functions with permission to read
 * this attribute only cannot read secrets and URLs.
 */
export function awsWebhooks({
  documents,
  table,
}: DynamoTable): Pick<Accounts, "findWebhook" | "findWebhookState" | "replaceWebhook"> {
  return {
    async findWebhook(agentId) {
      const command = new GetCommand({ TableName: table, Key: keyOf(agentId), ConsistentRead: true });
      const { Item } = await documents.send(command);
      if (!Item) return undefined;
      const { pk: _pk, sk: _sk, state: _state, ...webhook } = Item;
      return webhook as Webhook;
    },

    async findWebhookState(agentId) {
      const command = new GetCommand({
        TableName: table,
        Key: keyOf(agentId),
        ConsistentRead: true,
        ProjectionExpression: "#state",
        ExpressionAttributeNames: { "#state": "state" }, // a reserved word
      });
      const { Item } = await documents.send(command);
      return Item?.["state"] as WebhookState | undefined;
    },

    async replaceWebhook(webhook, { audit } = {}) {
      const { agentId, revision } = webhook;
      const next = { ...webhook, revision: (revision ?? 0) + 1 };
      const condition =
        revision === undefined
          ? { ConditionExpression: "attribute_not_exists(pk)" }
          : { ConditionExpression: "revision = :revision", ExpressionAttributeValues: { ":revision": revision } };
      const puts = [
        { TableName: table, Item: { ...next, state: webhookState(next), ...keyOf(agentId) }, ...condition },
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

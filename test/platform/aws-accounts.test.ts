import { GetCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { inputs, mockedPlatform } from "./aws-mocks.ts";

/** What the transactions put, in the order of sending. */
const puts = (dynamo: Parameters<typeof inputs>[0]) =>
  dynamo
    .commandCalls(TransactWriteCommand)
    .flatMap((call) => call.args[0].input.TransactItems ?? [])
    .map(({ Put }) => Put);

test("each record is found with one consistent GetItem", async () => {
  const { accounts, dynamo } = mockedPlatform();
  dynamo.on(GetCommand).resolves({ Item: { pk: "KEY#h", sk: "HEAD", gsi1pk: "x", gsi1sk: "y", hash: "h" } });
  expect(await accounts.findKey("h")).toEqual({ hash: "h" });
  await accounts.findAgent("A");
  await accounts.findOrganization("O");
  expect(inputs(dynamo, GetCommand)).toEqual(
    ["KEY#h", "AGENT#A", "ORG#O"].map((pk) => ({ TableName: "T", Key: { pk, sk: "HEAD" }, ConsistentRead: true })),
  );
});

test("records are listed by queries of the list index, page by page", async () => {
  const { accounts, dynamo } = mockedPlatform();
  const next = { pk: "KEY#1" };
  dynamo
    .on(QueryCommand)
    .resolvesOnce({ Items: [{ hash: "1" }], LastEvaluatedKey: next })
    .resolves({ Items: [{ hash: "2" }] });
  expect(await accounts.listKeys("A")).toEqual([{ hash: "1" }, { hash: "2" }]);
  await accounts.listAgents("O");
  await accounts.listAgents();
  await accounts.listOrganizations();
  const list = { TableName: "T", IndexName: "gsi1", KeyConditionExpression: "gsi1pk = :pk" };
  const within = "gsi1pk = :pk AND begins_with(gsi1sk, :prefix)";
  expect(inputs(dynamo, QueryCommand)).toMatchObject([
    { ...list, ExpressionAttributeValues: { ":pk": "KEYS#A" } },
    { ...list, ExpressionAttributeValues: { ":pk": "KEYS#A" }, ExclusiveStartKey: next },
    { ...list, KeyConditionExpression: within, ExpressionAttributeValues: { ":pk": "AGENTS", ":prefix": "O#" } },
    { ...list, ExpressionAttributeValues: { ":pk": "AGENTS" } },
    { ...list, ExpressionAttributeValues: { ":pk": "ORGS" } },
  ]);
});

test("a webhook is read by attribute, so that permissions can leave out its secrets", async () => {
  const { accounts, dynamo } = mockedPlatform();
  const state = { configured: true, enabled: true, hasUrl: false, privateAddresses: false };
  dynamo.on(GetCommand).resolves({ Item: { state } });
  expect(await accounts.findWebhookState("A")).toEqual(state);
  expect(await accounts.findWebhookView("A")).toBeUndefined();
  const key = { pk: "WEBHOOK#A", sk: "HEAD" };
  expect(inputs(dynamo, GetCommand)).toMatchObject([
    { Key: key, ProjectionExpression: "#state", ExpressionAttributeNames: { "#state": "state" } },
    { Key: key, ProjectionExpression: "#view", ExpressionAttributeNames: { "#view": "view" } },
  ]);
});

test("the item of a webhook has its secrets in one attribute", async () => {
  const { accounts, dynamo } = mockedPlatform();
  const webhook = { agentId: "A", organizationId: "O", url: "https://example.com", enabled: true };
  const secrets = [{ value: "whsec_AAAA", createdAt: 1 }];
  await accounts.replaceWebhook({ ...webhook, secrets, privateAddresses: false, createdAt: 1, updatedAt: 1 });
  const { secretValues, ...rest } = puts(dynamo)[0]?.Item ?? {};
  expect(secretValues).toEqual(["whsec_AAAA"]);
  expect(JSON.stringify(rest)).not.toContain("whsec_");
});

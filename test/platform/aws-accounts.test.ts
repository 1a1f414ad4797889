import { GetCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import type { Agent } from "../../src/accounts/types.ts";
import { inputs, mockedHome } from "./aws-mocks.ts";

test("accounts are found by one consistent GetItem", async () => {
  const { accounts, dynamo } = mockedHome();
  dynamo.on(GetCommand).resolves({ Item: { pk: "KEY#h", sk: "HEAD", gsi1pk: "x", gsi1sk: "y", hash: "h" } });
  expect(await accounts.findKey("h")).toEqual({ hash: "h" });
  await accounts.findAgent("A");
  await accounts.findOrganization("O");
  expect(inputs(dynamo, GetCommand)).toEqual(
    ["KEY#h", "AGENT#A", "ORG#O"].map((pk) => ({ TableName: "T", Key: { pk, sk: "HEAD" }, ConsistentRead: true })),
  );
});

test("accounts are put with the keys of their lists", async () => {
  const { accounts, dynamo } = mockedHome();
  const key = { hash: "h", hint: "ak_x", agentId: "A", organizationId: "O", enabled: true, createdAt: 12 };
  const agent: Agent = {
    id: "A",
    organizationId: "O",
    name: "n",
    instructions: "",
    tools: [],
    limits: { steps: 1, tokens: 2, seconds: 3 },
    status: "active",
  };
  await accounts.putKey(key);
  await accounts.putAgent(agent);
  await accounts.putOrganization({ id: "O", name: "n" });
  expect(inputs(dynamo, PutCommand)).toEqual([
    { TableName: "T", Item: { ...key, pk: "KEY#h", sk: "HEAD", gsi1pk: "KEYS#A", gsi1sk: "000000000000012#h" } },
    { TableName: "T", Item: { ...agent, pk: "AGENT#A", sk: "HEAD", gsi1pk: "AGENTS", gsi1sk: "O#A" } },
    { TableName: "T", Item: { id: "O", name: "n", pk: "ORG#O", sk: "HEAD", gsi1pk: "ORGS", gsi1sk: "O" } },
  ]);
});

test("accounts are listed by queries of the index, page after page", async () => {
  const { accounts, dynamo } = mockedHome();
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

import { randomUUID } from "node:crypto";
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { CreateBucketCommand, DeleteBucketCommand, type S3Client } from "@aws-sdk/client-s3";
import { CreateStateMachineCommand, DeleteStateMachineCommand, paginateListExecutions } from "@aws-sdk/client-sfn";
import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stores } from "../../src/runs/ports.ts";
import { documentClient, loadS3Client, sfnClient } from "../../src/platform/aws/sdk/clients.ts";
import { awsStores } from "../../src/platform/aws/open-platform.ts";
import { bucketObjects } from "../../src/platform/aws/s3/bucket.ts";
import { signedTransfers } from "../../src/platform/aws/s3/signed-transfers.ts";
import {
  listIndex,
  organizationIndex,
  partitionKey,
  runningIndex,
  sortKey,
  ttlAttribute,
} from "../../src/platform/aws/dynamodb/table.ts";
import { awsWorkflow } from "../../src/platform/aws/workflow.ts";
import { describeAccounts } from "../platform/accounts.contract.ts";
import { describeConfigurations } from "../platform/configurations.contract.ts";
import { describeDeliveryStore } from "../platform/deliveries.contract.ts";
import { firstMessages, input, newRun } from "../platform/run-fixtures.ts";
import { describeLargeWorkspaces } from "../platform/large-workspaces.contract.ts";
import { describePendingUploads } from "../platform/pending-uploads.contract.ts";
import { describeRuns } from "../platform/runs.contract.ts";
import { describeWorkflow, type WorkflowHarness } from "../platform/workflow.contract.ts";
import { describeWorkspace } from "../platform/workspace.contract.ts";
import { emulated } from "./service.ts";

// The contracts of the stores and of the workflow, with the AWS platform's clients on the emulator.

describe("the AWS platform", () => {
  const settings = emulated();
  const name = `contract-${randomUUID()}`;
  let documents: DynamoDBDocumentClient;
  let s3: S3Client;
  let stores: Stores;

  beforeAll(async () => {
    documents = documentClient(settings);
    s3 = await loadS3Client(settings);
    stores = awsStores({ documents, s3: async () => s3, table: name, bucket: name });
    await documents.send(new CreateTableCommand(tableNamed(name)));
    await waitUntilTableExists({ client: documents, maxWaitTime: 30 }, { TableName: name });
    await s3.send(new CreateBucketCommand({ Bucket: name }));
  });

  afterAll(async () => {
    await bucketObjects(s3, name).removeAll("");
    await s3.send(new DeleteBucketCommand({ Bucket: name }));
    await documents.send(new DeleteTableCommand({ TableName: name }));
    documents.destroy();
    s3.destroy();
  });

  test("an expired run is not read, and other items carry the time of their expiry", async () => {
    const store = { documents, s3: async () => s3, table: name, bucket: name };
    const [gone, kept] = [newRun(), newRun()];
    await awsStores({ ...store, retentionDays: -1 }).runs.create(gone, firstMessages(input(1, "first")));
    await awsStores({ ...store, retentionDays: 2 }).runs.create(kept, firstMessages(input(1, "first")));
    expect(await stores.runs.read(gone.id)).toBeUndefined();
    expect(await stores.runs.list({ agentIds: [gone.agentId], limit: 10 })).toEqual({ runs: [] });
    expect((await stores.runs.read(kept.id))?.transcript).toHaveLength(1);
    const { Items = [] } = await documents.send(
      new QueryCommand({
        TableName: name,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": `RUN#${kept.id}` },
      }),
    );
    const days = Items.map((item) => (Number(item[ttlAttribute]) * 1_000 - Date.now()) / 86_400_000);
    expect(days).toEqual([expect.closeTo(2, 2), expect.closeTo(2, 2)]);
  });

  describeAccounts(async () => stores.accounts);
  describeDeliveryStore(async () => stores);
  describeConfigurations(
    async () =>
      awsStores({ documents, s3: async () => s3, table: name, bucket: name, retentionDays: 2 }).configurations,
  );
  describeRuns(async () => stores);
  describeLargeWorkspaces(async () => stores);
  describePendingUploads(async () => {
    const transfers = signedTransfers(async () => s3, name);
    return {
      ...stores,
      async send(upload, content) {
        const { url, headers } = await transfers.put(upload);
        const { status } = await fetch(url, { method: "PUT", headers, body: new Uint8Array(content) });
        if (status !== 200) throw new Error(`S3 answered ${status}`);
      },
    };
  });
  describeWorkspace(async () => {
    const objects = bucketObjects(s3, name);
    return {
      workspace: stores.workspace,
      storedIn: async (runId) => (await objects.list(`workspaces/${runId}/`)).length,
    };
  });

  const sfn = sfnClient(settings);
  let stateMachineArn: string | undefined;
  afterAll(async () => {
    if (stateMachineArn) await sfn.send(new DeleteStateMachineCommand({ stateMachineArn }));
    sfn.destroy();
  });

  describeWorkflow(async (): Promise<WorkflowHarness> => {
    const states = { Work: { Type: "Wait", Seconds: 120, End: true } };
    const definition = JSON.stringify({ StartAt: "Work", States: states });
    const roleArn = process.env["STATE_MACHINE_ROLE"]; // any role: this state machine calls no function
    const created = await sfn.send(new CreateStateMachineCommand({ name, definition, roleArn }));
    const arn = created.stateMachineArn ?? "";
    stateMachineArn = arn;

    async function executions(runId: string, turn: number): Promise<string[]> {
      const found = [];
      for await (const page of paginateListExecutions({ client: sfn }, { stateMachineArn: arn })) {
        found.push(...(page.executions ?? []));
      }
      return found
        .filter((execution) => execution.name?.includes(runId) && execution.name.endsWith(`-${turn}`))
        .map(({ status }) => String(status));
    }

    return {
      workflow: awsWorkflow({ sfn, stateMachineArn: arn }),
      newRun: async () => randomUUID(),
      begun: async (runId, turn) => (await executions(runId, turn)).length,
      atWork: async (runId, turn) => (await executions(runId, turn)).filter((status) => status === "RUNNING").length,
    };
  });
});

function tableNamed(TableName: string): CreateTableCommandInput {
  const attributes = [
    partitionKey,
    sortKey,
    listIndex.partitionKey,
    listIndex.sortKey,
    organizationIndex.partitionKey,
    runningIndex.partitionKey,
    runningIndex.sortKey,
  ];
  return {
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: keys(partitionKey, sortKey),
    AttributeDefinitions: attributes.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
    GlobalSecondaryIndexes: [
      {
        IndexName: listIndex.name,
        KeySchema: keys(listIndex.partitionKey, listIndex.sortKey),
        Projection: { ProjectionType: "ALL" },
      },
      {
        IndexName: organizationIndex.name,
        KeySchema: keys(organizationIndex.partitionKey, organizationIndex.sortKey),
        Projection: { ProjectionType: "ALL" },
      },
      {
        IndexName: runningIndex.name,
        KeySchema: keys(runningIndex.partitionKey, runningIndex.sortKey),
        Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: [...runningIndex.nonKeyAttributes] },
      },
    ],
  };
}

function keys(partition: string, sort: string): CreateTableCommandInput["KeySchema"] {
  return [
    { AttributeName: partition, KeyType: "HASH" },
    { AttributeName: sort, KeyType: "RANGE" },
  ];
}

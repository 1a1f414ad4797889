import { createHash } from "node:crypto";
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import {
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  SFNClient,
  StartExecutionCommand,
  StateMachineDoesNotExist,
  StopExecutionCommand,
} from "@aws-sdk/client-sfn";
import { GetCommand, PutCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Agent, Run, StepRecord } from "../../lambdas/runs/ports.ts";
import { documentClient } from "../../lambdas/stores/aws/clients.ts";
import { awsStores } from "../../lambdas/stores/aws/index.ts";
import { awsWorkflow } from "../../lambdas/stores/aws/workflow.ts";

const region = "eu-central-1";
const documents = documentClient({ region });
const s3 = new S3Client({ region });
const sfn = new SFNClient({ region });
const dynamo = mockClient(documents);
const objects = mockClient(s3);
const executions = mockClient(sfn);

const openS3 = vi.fn(async () => s3);
const home = { documents, s3: openS3, table: "T", bucket: "B" };
let { accounts, runs, workspace } = awsStores(home);

beforeEach(() => {
  dynamo.reset();
  objects.reset();
  executions.reset();
  openS3.mockClear();
  ({ accounts, runs, workspace } = awsStores(home));
});

const large = "x".repeat(64 * 1024);
const largeKey = `texts/R/${createHash("sha256").update(large).digest("hex")}`;
const absent = "attribute_not_exists(pk)";

const run: Run = {
  id: "R",
  agentId: "A",
  organizationId: "O",
  name: "Run",
  status: "running",
  turn: 1,
  createdAt: 1_763_000_000_000,
  updatedAt: 1_763_000_000_001,
};
const shard = 5; // CRC-32 of "R" modulo 16
const headItem = {
  ...run,
  pk: "RUN#R",
  sk: "HEAD",
  messageCount: 1,
  gsi1pk: `RUNS#A#${shard}`,
  gsi1sk: "001763000000000#R",
  gsi2pk: `RUNNING#${shard}`,
  gsi2sk: "R",
};
const inputItem = { pk: "RUN#R", sk: "MESSAGE#00001#input_to_agent", role: "input_to_agent", text: "hi" };
const step: StepRecord = { turn: 1, step: 12, part: "result", call: 3, result: { callId: "c", name: "n", text: "" } };
const stepItem = { pk: "RUN#R", sk: "STEP#99998#00012#result#00003", text: JSON.stringify(step) };

describe("accounts", () => {
  test("are found by one consistent GetItem", async () => {
    dynamo.on(GetCommand).resolves({ Item: { pk: "KEY#h", sk: "HEAD", gsi1pk: "x", gsi1sk: "y", hash: "h" } });
    expect(await accounts.findKey("h")).toEqual({ hash: "h" });
    await accounts.findAgent("A");
    await accounts.findOrganization("O");
    expect(inputs(GetCommand)).toEqual(
      ["KEY#h", "AGENT#A", "ORG#O"].map((pk) => ({ TableName: "T", Key: { pk, sk: "HEAD" }, ConsistentRead: true })),
    );
  });

  test("are put with the keys of their lists", async () => {
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
    expect(inputs(PutCommand)).toEqual([
      { TableName: "T", Item: { ...key, pk: "KEY#h", sk: "HEAD", gsi1pk: "KEYS#A", gsi1sk: "000000000000012#h" } },
      { TableName: "T", Item: { ...agent, pk: "AGENT#A", sk: "HEAD", gsi1pk: "AGENTS", gsi1sk: "O#A" } },
      { TableName: "T", Item: { id: "O", name: "n", pk: "ORG#O", sk: "HEAD", gsi1pk: "ORGS", gsi1sk: "O" } },
    ]);
  });

  test("are listed by queries of the index, page after page", async () => {
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
    expect(inputs(QueryCommand)).toMatchObject([
      { ...list, ExpressionAttributeValues: { ":pk": "KEYS#A" } },
      { ...list, ExpressionAttributeValues: { ":pk": "KEYS#A" }, ExclusiveStartKey: next },
      { ...list, KeyConditionExpression: within, ExpressionAttributeValues: { ":pk": "AGENTS", ":prefix": "O#" } },
      { ...list, ExpressionAttributeValues: { ":pk": "AGENTS" } },
      { ...list, ExpressionAttributeValues: { ":pk": "ORGS" } },
    ]);
  });
});

describe("writes to a run", () => {
  test("create is one transaction of new items, under a token", async () => {
    await runs.create(run, [{ turn: 1, role: "input_to_agent", text: "hi" }]);
    expect(inputs(TransactWriteCommand)).toEqual([
      {
        ClientRequestToken: expect.stringMatching(/^[0-9a-f-]{36}$/),
        TransactItems: [headItem, inputItem].map((Item) => ({
          Put: { TableName: "T", Item, ConditionExpression: absent },
        })),
      },
    ]);
    expect(openS3).not.toHaveBeenCalled();
  });

  test("an idle run is not in the index of running ones", async () => {
    await runs.create({ ...run, status: "finished", turn: 0 }, []);
    const [put] = transactions()[0] ?? [];
    expect(put?.Put?.Item).not.toHaveProperty("gsi2pk");
    expect(put?.Put?.Item).toMatchObject({ messageCount: 0, status: "finished" });
  });

  const condition = {
    TableName: "T",
    Key: { pk: "RUN#R", sk: "HEAD" },
    ConditionExpression: "#status = :expectedStatus AND #turn = :expectedTurn",
  };
  const expected = { ":expectedStatus": "running", ":expectedTurn": 1 };
  const expect1 = { status: "running", turn: 1 } as const;

  test("a final status and its message go together, and the run leaves the running index", async () => {
    const set = { status: "finished", turn: 1, updatedAt: 9 } as const;
    const messages = [{ turn: 1, role: "output_from_agent", text: "" } as const];
    expect(await runs.change({ runId: "R", expect: expect1, set, messages })).toBe(true);
    const names = ["status", "turn", "updatedAt", "failure", "gsi2pk", "gsi2sk"];
    expect(transactions()).toEqual([
      [
        {
          Update: {
            ...condition,
            UpdateExpression:
              "SET messageCount = messageCount + :added, #status = :status, #turn = :turn, #updatedAt = :updatedAt " +
              "REMOVE #failure, #gsi2pk, #gsi2sk, leaseOwner, leaseUntil",
            ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
            ExpressionAttributeValues: { ...expected, ":added": 1, ":status": "finished", ":turn": 1, ":updatedAt": 9 },
          },
        },
        {
          Put: {
            TableName: "T",
            Item: { pk: "RUN#R", sk: "MESSAGE#00001#output_from_agent", role: "output_from_agent", text: "" },
            ConditionExpression: absent,
          },
        },
      ],
    ]);
  });

  test("the next turn puts the run back into the running index", async () => {
    const set = { status: "running", turn: 2, updatedAt: 9 } as const;
    await runs.change({ runId: "R", expect: { status: "finished", turn: 1 }, set });
    expect(transactions()[0]?.[0]?.Update).toMatchObject({
      UpdateExpression: expect.stringMatching(
        /#gsi2pk = :gsi2pk, #gsi2sk = :gsi2sk REMOVE #failure, leaseOwner, leaseUntil$/,
      ),
      ExpressionAttributeValues: { ":gsi2pk": `RUNNING#${shard}`, ":gsi2sk": "R" },
    });
  });

  test("a step record only checks the run", async () => {
    await runs.change({ runId: "R", expect: expect1, steps: [step] });
    const ExpressionAttributeNames = { "#status": "status", "#turn": "turn" };
    expect(transactions()).toEqual([
      [
        { ConditionCheck: { ...condition, ExpressionAttributeNames, ExpressionAttributeValues: expected } },
        { Put: { TableName: "T", Item: stepItem, ConditionExpression: absent } },
      ],
    ]);
  });

  test("a large text is in the bucket before the transaction that points to it", async () => {
    const order: string[] = [];
    objects.on(PutObjectCommand).callsFake(() => void order.push("object"));
    dynamo.on(TransactWriteCommand).callsFake(() => order.push("transaction"));
    await runs.create(run, [{ turn: 1, role: "input_to_agent", text: large }]);
    expect(order).toEqual(["object", "transaction"]);
    expect(objects.commandCalls(PutObjectCommand)[0]?.args[0].input).toEqual({
      Bucket: "B",
      Key: largeKey,
      Body: Buffer.from(large),
    });
    const { text: _text, ...pointer } = { ...inputItem, textKey: largeKey };
    expect(transactions()[0]?.[1]?.Put?.Item).toEqual(pointer);
  });
});

describe("reads of a run", () => {
  const query = { TableName: "T", ExpressionAttributeValues: { ":pk": "RUN#R" }, ConsistentRead: true };

  test("read is one consistent Query that stops before the steps", async () => {
    dynamo.on(QueryCommand).resolves({ Items: [headItem, inputItem] });
    expect(await runs.read("R")).toEqual({ run, transcript: [{ role: "input_to_agent", text: "hi" }] });
    expect(inputs(QueryCommand)).toMatchObject([
      {
        ...query,
        KeyConditionExpression: "pk = :pk AND sk < :internal",
        ExpressionAttributeValues: { ":pk": "RUN#R", ":internal": "QUEUE#" },
      },
    ]);
    expect(openS3).not.toHaveBeenCalled();
  });

  test("a transcript of several pages is read to its end", async () => {
    const outputItem = { ...inputItem, sk: "MESSAGE#00001#output_from_agent", role: "output_from_agent", text: "bye" };
    const pages = [[{ ...headItem, messageCount: 2 }], [inputItem], [outputItem]];
    const starts: unknown[] = [];
    dynamo.on(QueryCommand).callsFake(({ ExclusiveStartKey }: { ExclusiveStartKey?: unknown }) => {
      const Items = pages[starts.push(ExclusiveStartKey) - 1] ?? [];
      return { Items, ...(starts.length < pages.length && { LastEvaluatedKey: { sk: Items[0]?.sk } }) };
    });
    expect((await runs.read("R"))?.transcript.map(({ text }) => text)).toEqual(["hi", "bye"]);
    expect(starts).toEqual([undefined, { sk: "HEAD" }, { sk: inputItem.sk }]);
  });

  test("load is one Query, which ends where older turns' steps begin", async () => {
    const second = { ...headItem, turn: 2 };
    const current = { ...stepItem, sk: "STEP#99997#00012#result#00003", text: JSON.stringify({ ...step, turn: 2 }) };
    dynamo
      .on(QueryCommand)
      .resolvesOnce({ Items: [second, inputItem, current], LastEvaluatedKey: { sk: current.sk } })
      .resolvesOnce({ Items: [stepItem], LastEvaluatedKey: { sk: stepItem.sk } })
      .rejects(new Error("nothing more is needed"));
    expect((await runs.load("R"))?.steps).toEqual([{ ...step, turn: 2 }]);
    expect(inputs(QueryCommand)).toMatchObject([query, query]);
  });

  test("the steps of all turns are one range, oldest turn first", async () => {
    const later = { ...stepItem, text: JSON.stringify({ ...step, turn: 2 }) };
    dynamo
      .on(QueryCommand)
      .resolvesOnce({ Items: [later], LastEvaluatedKey: { sk: later.sk } })
      .resolves({ Items: [stepItem] });
    expect(await runs.listSteps("R")).toEqual([step, { ...step, turn: 2 }]);
    expect(inputs(QueryCommand)[0]).toMatchObject({
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :steps)",
      ExpressionAttributeValues: { ":pk": "RUN#R", ":steps": "STEP#" },
      ConsistentRead: true,
    });
  });

  test("a transcript that lacks a message the run counts is read again", async () => {
    dynamo
      .on(QueryCommand)
      .resolvesOnce({ Items: [headItem] })
      .resolves({ Items: [headItem, inputItem] });
    expect((await runs.read("R"))?.transcript).toHaveLength(1);
    expect(dynamo.commandCalls(QueryCommand)).toHaveLength(2);
  });

  test("large texts are fetched from the bucket at the same time", async () => {
    const keys = ["1", "2", "3"];
    const items = keys.map((textKey, n) => ({
      pk: "RUN#R",
      sk: `MESSAGE#0000${n}#input_to_agent`,
      role: "r",
      textKey,
    }));
    dynamo.on(QueryCommand).resolves({ Items: [{ ...headItem, messageCount: 3 }, ...items] });
    let open = 0;
    objects.on(GetObjectCommand).callsFake(async ({ Key }: { Key: string }) => {
      open++;
      await vi.waitFor(() => expect(open).toBe(3));
      return { Body: { transformToByteArray: async () => Buffer.from(`€${Key}`) } };
    });
    expect((await runs.read("R"))?.transcript.map(({ text }) => text)).toEqual(["€1", "€2", "€3"]);
    expect(openS3).toHaveBeenCalledTimes(1);
  });

  test("lists query every shard, newest first and no more than asked for", async () => {
    dynamo
      .on(QueryCommand)
      .resolves({ Items: [] })
      .on(QueryCommand, { ExpressionAttributeValues: { ":pk": "RUNS#A#0" } })
      .resolves({
        Items: [
          { ...headItem, id: "c", createdAt: 3 },
          { ...headItem, id: "a", createdAt: 1 },
        ],
        LastEvaluatedKey: { pk: "more" },
      })
      .on(QueryCommand, { ExpressionAttributeValues: { ":pk": "RUNS#A#15" } })
      .resolves({ Items: [{ ...headItem, id: "b", createdAt: 2 }] });
    expect((await runs.listByAgent("A", 2)).map(({ id }) => id)).toEqual(["c", "b"]);
    const list = { TableName: "T", IndexName: "gsi1", ScanIndexForward: false, Limit: 2 };
    expect(inputs(QueryCommand)).toMatchObject(
      Array.from({ length: 16 }, (_, n) => ({ ...list, ExpressionAttributeValues: { ":pk": `RUNS#A#${n}` } })),
    );
  });

  test("running runs are read from every shard, page after page", async () => {
    const shard3 = { ExpressionAttributeValues: { ":pk": "RUNNING#3" } };
    dynamo
      .on(QueryCommand)
      .resolves({ Items: [] })
      .on(QueryCommand, shard3)
      .resolvesOnce({ Items: [{ ...headItem, id: "a" }], LastEvaluatedKey: { pk: "RUN#a" } })
      .resolves({ Items: [{ ...headItem, id: "b" }] });
    expect(await runs.listRunning()).toEqual(["a", "b"].map((id) => ({ id, turn: 1, updatedAt: run.updatedAt })));
    expect(dynamo.commandCalls(QueryCommand, { IndexName: "gsi2" })).toHaveLength(17);
  });
});

describe("workspace", () => {
  test("files are objects below the run's prefix, their names encoded", async () => {
    await workspace.write("R", [{ name: "ä +%.txt", content: Buffer.from("x") }]);
    expect(objects.commandCalls(PutObjectCommand)[0]?.args[0].input).toEqual({
      Bucket: "B",
      Key: "workspaces/R/%C3%A4%20%2B%25.txt",
      Body: Buffer.from("x"),
    });
    objects.on(GetObjectCommand).rejects(new NoSuchKey({ $metadata: { httpStatusCode: 404 }, message: "no" }));
    expect(await workspace.read("R", "a.txt")).toBeUndefined();
    expect(objects.commandCalls(GetObjectCommand)[0]?.args[0].input).toEqual({
      Bucket: "B",
      Key: "workspaces/R/a.txt",
    });
  });

  test("uploads go out at the same time", async () => {
    let open = 0;
    objects.on(PutObjectCommand).callsFake(async () => {
      open++;
      await vi.waitFor(() => expect(open).toBe(10));
    });
    const names = Array.from({ length: 10 }, (_, n) => `${n}`);
    await workspace.write(
      "R",
      names.map((name) => ({ name, content: new Uint8Array() })),
    );
  });

  test("the list follows pages and is sorted by name, not by key", async () => {
    objects
      .on(ListObjectsV2Command)
      .resolvesOnce({
        Contents: [{ Key: "workspaces/R/%C3%A4", Size: 1 }],
        IsTruncated: true,
        NextContinuationToken: "t",
      })
      .resolvesOnce({ Contents: [{ Key: "workspaces/R/b", Size: 2 }] });
    expect(await workspace.list("R")).toEqual([
      { name: "b", size: 2 },
      { name: "ä", size: 1 },
    ]);
    const calls = objects.commandCalls(ListObjectsV2Command).map((call) => call.args[0].input);
    expect(calls).toMatchObject([
      { Bucket: "B", Prefix: "workspaces/R/" },
      { Bucket: "B", Prefix: "workspaces/R/", ContinuationToken: "t" },
    ]);
  });

  test("removeAll deletes by the thousand, and does not hide what was not deleted", async () => {
    const Contents = Array.from({ length: 1_001 }, (_, n) => ({ Key: `workspaces/R/${n}`, Size: 1 }));
    objects.on(ListObjectsV2Command).resolves({ Contents }).on(DeleteObjectsCommand).resolves({});
    await workspace.removeAll("R");
    const sizes = objects.commandCalls(DeleteObjectsCommand).map((call) => call.args[0].input.Delete?.Objects?.length);
    expect(sizes).toEqual([1_000, 1]);

    const Errors = [{ Key: "workspaces/R/7", Code: "AccessDenied", Message: "Access Denied" }];
    objects.on(DeleteObjectsCommand).resolves({ Errors });
    await expect(workspace.removeAll("R")).rejects.toThrow("workspaces/R/7: Access Denied");
  });
});

/** ARNs of executions that were to be stopped. */
function stopped(): (string | undefined)[] {
  return executions.commandCalls(StopExecutionCommand).map(({ args }) => args[0].input.executionArn);
}

describe("workflow", () => {
  const stateMachineArn = "arn:aws-cn:states:cn-north-1:1:stateMachine:Turns-stateMachine";
  const workflow = awsWorkflow({ sfn, stateMachineArn });
  const problem = { $metadata: { httpStatusCode: 400 }, message: "no" };

  test("start names the execution by run and turn, and gives it ids only", async () => {
    await workflow.start("R", 3);
    const [start] = executions.commandCalls(StartExecutionCommand);
    expect(start?.args[0].input).toEqual({ stateMachineArn, name: "R-3", input: '{"runId":"R","turn":3}' });
  });

  test("a turn that was started before counts as started; a machine that is gone does not", async () => {
    executions
      .on(StartExecutionCommand)
      .rejectsOnce(new ExecutionAlreadyExists(problem))
      .rejectsOnce(new StateMachineDoesNotExist(problem));
    await workflow.start("R", 3);
    await expect(workflow.start("R", 3)).rejects.toThrow(StateMachineDoesNotExist);
  });

  const arn = "arn:aws-cn:states:cn-north-1:1:execution:Turns-stateMachine";

  test("stop stops the execution that has come to that turn: the last one that was started by then", async () => {
    executions.on(StopExecutionCommand).rejectsOnce(new ExecutionDoesNotExist(problem)).resolves({});
    await workflow.stop("R", 3);
    expect(stopped()).toEqual([`${arn}:R-3`, `${arn}:R-2`]);
  });

  test("stop is a no-op when there is none", async () => {
    executions.on(StopExecutionCommand).rejects(new ExecutionDoesNotExist(problem));
    await workflow.stop("R", 2);
    expect(stopped()).toEqual([`${arn}:R-2`, `${arn}:R-1`]);
  });
});

function inputs(command: typeof GetCommand | typeof PutCommand | typeof QueryCommand | typeof TransactWriteCommand) {
  return dynamo.commandCalls(command as typeof GetCommand).map((call) => call.args[0].input);
}

function transactions() {
  return dynamo.commandCalls(TransactWriteCommand).map((call) => call.args[0].input.TransactItems ?? []);
}

import { createHash } from "node:crypto";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { headItem, inputItem, inputs, mockedPlatform, run, shard, step, stepItem } from "./aws-mocks.ts";

const large = "x".repeat(64 * 1024);
const largeKey = `texts/R/${createHash("sha256").update(large).digest("hex")}`;
const absent = "attribute_not_exists(pk)";

test("create sends one transaction of new items with a request token", async () => {
  const { runs, dynamo, openS3 } = mockedPlatform();
  await runs.create(run, [{ turn: 1, role: "input_to_agent", text: "hi" }]);
  expect(inputs(dynamo, TransactWriteCommand)).toEqual([
    {
      ClientRequestToken: expect.stringMatching(/^[0-9a-f-]{36}$/),
      TransactItems: [headItem, inputItem].map((Item) => ({
        Put: { TableName: "T", Item, ConditionExpression: absent },
      })),
    },
  ]);
  expect(openS3).not.toHaveBeenCalled();
});

test("an idle run is not in the running index", async () => {
  const { runs, dynamo } = mockedPlatform();
  await runs.create({ ...run, status: "finished", turn: 0 }, []);
  const [put] = transactions(dynamo)[0] ?? [];
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

test("a final status and its message are one write, which removes the run from the running index", async () => {
  const { runs, dynamo } = mockedPlatform();
  const set = { status: "finished", turn: 1, updatedAt: 9 } as const;
  const messages = [{ turn: 1, role: "output_from_agent", text: "" } as const];
  expect(await runs.change({ runId: "R", expect: expect1, set, messages })).toBe(true);
  const names = ["status", "turn", "updatedAt", "failure", "gsi2pk", "gsi2sk"];
  expect(transactions(dynamo)).toEqual([
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

test("the next turn adds the run to the running index", async () => {
  const { runs, dynamo } = mockedPlatform();
  const set = { status: "running", turn: 2, updatedAt: 9 } as const;
  await runs.change({ runId: "R", expect: { status: "finished", turn: 1 }, set });
  expect(transactions(dynamo)[0]?.[0]?.Update).toMatchObject({
    UpdateExpression: expect.stringMatching(
      /#gsi2pk = :gsi2pk, #gsi2sk = :gsi2sk REMOVE #failure, leaseOwner, leaseUntil$/,
    ),
    ExpressionAttributeValues: { ":gsi2pk": `RUNNING#${shard}`, ":gsi2sk": "R" },
  });
});

test("a journal entry checks the head item without writing it", async () => {
  const { runs, dynamo } = mockedPlatform();
  await runs.change({ runId: "R", expect: expect1, entries: [step] });
  const ExpressionAttributeNames = { "#status": "status", "#turn": "turn" };
  expect(transactions(dynamo)).toEqual([
    [
      { ConditionCheck: { ...condition, ExpressionAttributeNames, ExpressionAttributeValues: expected } },
      { Put: { TableName: "T", Item: stepItem, ConditionExpression: absent } },
    ],
  ]);
});

test("a large text is stored before the transaction that refers to it", async () => {
  const { runs, dynamo, objects } = mockedPlatform();
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
  expect(transactions(dynamo)[0]?.[1]?.Put?.Item).toEqual(pointer);
});

function transactions(dynamo: ReturnType<typeof mockedPlatform>["dynamo"]) {
  return dynamo.commandCalls(TransactWriteCommand).map((call) => call.args[0].input.TransactItems ?? []);
}

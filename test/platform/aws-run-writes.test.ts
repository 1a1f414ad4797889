import { createHash } from "node:crypto";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { headItem, inputItem, inputs, mockedPlatform, run, shard, stepEntry, stepItem } from "./aws-mocks.ts";

const large = "x".repeat(64 * 1024);
const largeKey = `texts/R/${createHash("sha256").update(large).digest("hex")}`;
const absent = "attribute_not_exists(pk)";

test("create sends one transaction of new items with a request token", async () => {
  const { runs, dynamo, openS3 } = mockedPlatform();
  await runs.create(run, [first("hi")]);
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

test("a record that does not fit in a transaction is refused before anything is written", async () => {
  const { runs, dynamo, openS3 } = mockedPlatform();
  const entries = Array.from({ length: 99 }, (_, index) => ({
    ...({ turn: 1, step: index + 1, part: "began", call: 0 } as const),
    sequence: index + 2,
    at: 1,
  }));
  const tooLong = runs.create({ ...run, sequence: 100 }, [first(large)], { entries });
  await expect(tooLong).rejects.toMatchObject({
    code: "invalid_argument",
    message: expect.stringContaining("at most 99"),
  });
  expect(inputs(dynamo, TransactWriteCommand)).toEqual([]);
  expect(openS3).not.toHaveBeenCalled();
  expect(await runs.create({ ...run, sequence: 99 }, [first("hi")], { entries: entries.slice(0, 98) })).toBe("created");
  expect(transactions(dynamo)[0]).toHaveLength(100);
});

test("an idle run is not in the running index", async () => {
  const { runs, dynamo } = mockedPlatform();
  await runs.create({ ...run, status: "finished", turn: 0, sequence: 0 }, []);
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
  const messages = [{ turn: 1, role: "output_from_agent", text: "", sequence: 3, at: 9 } as const];
  expect(await runs.change({ runId: "R", expect: expect1, set, messages })).toBe(true);
  const names = ["status", "turn", "sequence", "updatedAt", "failure", "gsi2pk", "gsi2sk", "quotaOf", "waiting"];
  const waits = ["askedUntil", "worked"];
  expect(transactions(dynamo)).toEqual([
    [
      {
        Update: {
          ...condition,
          ConditionExpression: `${condition.ConditionExpression} AND (#sequence = :before) AND attribute_not_exists(quotaOf) AND attribute_not_exists(webhook)`,
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          UpdateExpression:
            "SET messageCount = messageCount + :added, #sequence = :sequence, #status = :status, #turn = :turn, #updatedAt = :updatedAt " +
            "REMOVE #failure, #askedUntil, #worked, #gsi2pk, #gsi2sk, #quotaOf, #waiting, leaseOwner, leaseUntil",
          ExpressionAttributeNames: Object.fromEntries([...names, ...waits].map((name) => [`#${name}`, name])),
          ExpressionAttributeValues: {
            ...expected,
            ":before": 2,
            ":added": 1,
            ":sequence": 3,
            ":status": "finished",
            ":turn": 1,
            ":updatedAt": 9,
          },
        },
      },
      {
        Put: {
          TableName: "T",
          Item: {
            pk: "RUN#R",
            sk: "MESSAGE#00001#output_from_agent",
            turn: 1,
            role: "output_from_agent",
            sequence: 3,
            at: 9,
            text: "",
          },
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
      /#gsi2pk = :gsi2pk, #gsi2sk = :gsi2sk REMOVE #failure, #askedUntil, #worked, #quotaOf, #waiting, leaseOwner, leaseUntil$/,
    ),
    ExpressionAttributeValues: { ":gsi2pk": `RUNNING#${shard}`, ":gsi2sk": "R" },
  });
});

test.each([
  [0, "(attribute_not_exists(#sequence) OR #sequence = :before)"],
  [1, "(#sequence = :before)"],
])("a journal entry after event %i counts the events of the head item", async (before, counted) => {
  const { runs, dynamo } = mockedPlatform();
  await runs.change({ runId: "R", expect: expect1, entries: [stepEntry(1, before + 1)] });
  expect(transactions(dynamo)).toEqual([
    [
      {
        Update: {
          ...condition,
          ConditionExpression: `${condition.ConditionExpression} AND ${counted}`,
          UpdateExpression: "SET messageCount = messageCount + :added, #sequence = :sequence",
          ExpressionAttributeNames: { "#status": "status", "#turn": "turn", "#sequence": "sequence" },
          ExpressionAttributeValues: { ...expected, ":before": before, ":added": 0, ":sequence": before + 1 },
        },
      },
      { Put: { TableName: "T", Item: stepItem(1, before + 1), ConditionExpression: absent } },
    ],
  ]);
});

test("a change without events, status and counts checks the head item without writing it", async () => {
  const { runs, dynamo } = mockedPlatform();
  await runs.change({ runId: "R", expect: expect1 });
  expect(transactions(dynamo)[0]).toMatchObject([{ ConditionCheck: condition }]);
});

test("a large text is stored before the transaction that refers to it", async () => {
  const { runs, dynamo, objects } = mockedPlatform();
  const order: string[] = [];
  objects.on(PutObjectCommand).callsFake(() => void order.push("object"));
  dynamo.on(TransactWriteCommand).callsFake(() => order.push("transaction"));
  await runs.create(run, [first(large)]);
  expect(order).toEqual(["object", "transaction"]);
  expect(objects.commandCalls(PutObjectCommand)[0]?.args[0].input).toEqual({
    Bucket: "B",
    Key: largeKey,
    Body: Buffer.from(large),
  });
  const { text: _text, ...pointer } = { ...inputItem, textKey: largeKey };
  expect(transactions(dynamo)[0]?.[1]?.Put?.Item).toEqual(pointer);
});

function first(text: string) {
  return { turn: 1, role: "input_to_agent", text, sequence: 1, at: inputItem.at } as const;
}

function transactions(dynamo: ReturnType<typeof mockedPlatform>["dynamo"]) {
  return dynamo.commandCalls(TransactWriteCommand).map((call) => call.args[0].input.TransactItems ?? []);
}

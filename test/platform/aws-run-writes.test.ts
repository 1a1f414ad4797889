import { createHash } from "node:crypto";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { headItem, inputItem, inputs, mockedPlatform, run } from "./aws-mocks.ts";

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

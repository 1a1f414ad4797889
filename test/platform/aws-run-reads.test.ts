import { GetObjectCommand } from "@aws-sdk/client-s3";
import { BatchGetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test, vi } from "vitest";
import { headItem, inputItem, inputs, mockedPlatform, run, stepEntry, stepItem } from "./aws-mocks.ts";

const query = { TableName: "T", ExpressionAttributeValues: { ":pk": "RUN#R" }, ConsistentRead: true };

test("read sends one consistent Query without the journal", async () => {
  const { runs, dynamo, openS3 } = mockedPlatform();
  dynamo.on(QueryCommand).resolves({ Items: [headItem, inputItem] });
  expect(await runs.read("R")).toEqual({ run, transcript: [{ role: "input_to_agent", text: "hi" }] });
  expect(inputs(dynamo, QueryCommand)).toMatchObject([
    {
      ...query,
      KeyConditionExpression: "pk = :pk AND sk < :internal",
      ExpressionAttributeValues: { ":pk": "RUN#R", ":internal": "QUEUE#" },
    },
  ]);
  expect(openS3).not.toHaveBeenCalled();
});

test.each([
  ["its head is deleted", [inputItem, stepItem(1, 2)]],
  ["its head has expired", [{ ...headItem, expiresAt: 1 }, stepItem(1, 2)]],
])("read and load find nothing of an expired run: %s", async (_, Items) => {
  const { runs, dynamo } = mockedPlatform();
  dynamo.on(QueryCommand).resolves({ Items });
  expect([await runs.read("R"), await runs.load("R")]).toEqual([undefined, undefined]);
});

test("a transcript of several pages is read completely", async () => {
  const { runs, dynamo } = mockedPlatform();
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

test("load sends one Query that ends before the journals of earlier turns", async () => {
  const { runs, dynamo } = mockedPlatform();
  const second = { ...headItem, turn: 2, sequence: 5 };
  const input2 = { ...inputItem, sk: "MESSAGE#00002#input_to_agent", turn: 2, sequence: 3 };
  const [current, before] = [stepItem(2, 5), stepItem(2, 4)];
  dynamo
    .on(QueryCommand)
    .resolvesOnce({ Items: [second, inputItem, input2, current, before], LastEvaluatedKey: { sk: before.sk } })
    .resolvesOnce({ Items: [stepItem(1, 2)], LastEvaluatedKey: { sk: stepItem(1, 2).sk } })
    .rejects(new Error("nothing more is needed"));
  expect((await runs.load("R"))?.journal).toEqual([stepEntry(2, 4), stepEntry(2, 5)]);
  expect(inputs(dynamo, QueryCommand)).toMatchObject([query, query]);
});

test("a journal that lacks a counted entry is read again", async () => {
  const { runs, dynamo } = mockedPlatform();
  const head3 = { ...headItem, sequence: 3 };
  dynamo
    .on(QueryCommand)
    .resolvesOnce({ Items: [head3, inputItem, stepItem(1, 3)] })
    .resolves({ Items: [head3, inputItem, stepItem(1, 3), stepItem(1, 2)] });
  expect((await runs.load("R"))?.journal).toEqual([stepEntry(1, 2), stepEntry(1, 3)]);
  expect(dynamo.commandCalls(QueryCommand)).toHaveLength(2);
});

test("a transcript that lacks a counted message is read again", async () => {
  const { runs, dynamo } = mockedPlatform();
  dynamo
    .on(QueryCommand)
    .resolvesOnce({ Items: [headItem] })
    .resolves({ Items: [headItem, inputItem] });
  expect((await runs.read("R"))?.transcript).toHaveLength(1);
  expect(dynamo.commandCalls(QueryCommand)).toHaveLength(2);
});

test("large texts are fetched in parallel", async () => {
  const { runs, dynamo, objects, openS3 } = mockedPlatform();
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

test("only the start of a large text is fetched for an excerpt", async () => {
  const { runs, dynamo, objects } = mockedPlatform();
  dynamo.on(QueryCommand).resolves({ Items: [{ pk: "RUN#R", sk: "MESSAGE#00001#input_to_agent", textKey: "k" }] });
  objects.on(GetObjectCommand).callsFake(async ({ Range }: { Range: string }) => {
    const bytes = Number(/^bytes=0-(\d+)$/.exec(Range)?.[1]) + 1;
    return { Body: { transformToByteArray: async () => Buffer.from("€👋".repeat(50_000)).subarray(0, bytes) } };
  });
  expect(await runs.firstInput("R", 200)).toBe(`${"€👋".repeat(66)}€`);
});

test("a page of a list queries a share of the page from every shard of the agent", async () => {
  const { runs, dynamo } = mockedPlatform();
  const place = { createdAt: 9, id: "p" };
  dynamo
    .on(QueryCommand)
    .callsFake(({ ExpressionAttributeValues: values }: { ExpressionAttributeValues: Record<string, string> }) => {
      if (values[":pk"] === "RUNS#A#0") {
        return { Items: [listItem("p", 9), listItem("c", 3), listItem("a", 1)], LastEvaluatedKey: { pk: "more" } };
      }
      return { Items: values[":pk"] === "RUNS#A#15" ? [listItem("b", 2), listItem("old", 0)] : [] };
    });
  const page = await runs.list({ agentIds: ["A"], limit: 2, since: 1, after: place });
  expect(page.runs.map(({ id }) => id)).toEqual(["c", "b"]);
  expect(page.next).toEqual({ createdAt: 2, id: "b" });
  const list = { TableName: "T", IndexName: "gsi1", ScanIndexForward: false, Limit: 6 };
  const range = { ":since": "000000000000001", ":after": "000000000000009#p" };
  expect(inputs(dynamo, QueryCommand)).toMatchObject(
    Array.from({ length: 16 }, (_, n) => ({ ...list, ExpressionAttributeValues: { ":pk": `RUNS#A#${n}`, ...range } })),
  );
});

test("a page of an organization takes its runs' keys among others, then the runs, until DynamoDB has returned all", async () => {
  const { runs, dynamo } = mockedPlatform();
  const keys = Array.from({ length: 130 }, (_, n) => keyItem(`RUN#${n}`, 1_000 - n));
  const asked: { pk: string }[][] = [];
  dynamo
    .on(QueryCommand)
    .resolvesOnce({ Items: [keyItem("DELIVERY#d", 2_000), ...keys.slice(0, 90)], LastEvaluatedKey: { pk: "more" } })
    .resolves({ Items: keys.slice(90) });
  dynamo.on(BatchGetCommand).callsFake(({ RequestItems }: { RequestItems: { T: { Keys: { pk: string }[] } } }) => {
    const { Keys } = RequestItems.T;
    const isFirst = asked.push(Keys) === 1;
    const now = isFirst ? Keys.slice(0, 1) : Keys;
    const Responses = { T: now.map(({ pk }) => listItem(pk.slice(4), 1_000 - Number(pk.slice(4)))) };
    return { Responses, UnprocessedKeys: isFirst ? { T: { Keys: Keys.slice(1) } } : {} };
  });
  const page = await runs.list({ organizationIds: ["O"], limit: 120 });
  expect(page.runs.map(({ id }) => id)).toEqual(keys.slice(0, 120).map(({ pk }) => pk.slice(4)));
  expect(page.next).toEqual({ createdAt: 1_000 - 119, id: "119" });
  expect(asked.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([21, 99, 100]);
  expect(inputs(dynamo, QueryCommand)).toMatchObject([
    { IndexName: "gsi3", Limit: 243, ExpressionAttributeValues: { ":pk": "O" } },
    { ExclusiveStartKey: { pk: "more" } },
  ]);
});

test("a table without the index says that it needs a deployment", async () => {
  const { runs, dynamo } = mockedPlatform();
  const missing = new Error("The table does not have the specified index: gsi3");
  dynamo.on(QueryCommand).rejects(Object.assign(missing, { name: "ValidationException" }));
  await expect(runs.list({ organizationIds: ["O"], limit: 1 })).rejects.toThrow(/no index gsi3: .*Run npm run deploy/);
});

test("running runs are read from every page of every shard", async () => {
  const { runs, dynamo } = mockedPlatform();
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

/** An item in the index of its organization. */
function keyItem(pk: string, createdAt: number) {
  return { pk, sk: "HEAD", gsi1sk: listItem(pk.slice(4), createdAt).gsi1sk };
}

/** A run in the list of its agent. */
function listItem(id: string, createdAt: number) {
  return { ...headItem, id, createdAt, gsi1sk: `${String(createdAt).padStart(15, "0")}#${id}` };
}

import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { expect, test } from "vitest";
import { StoreUnavailable } from "../../src/errors.ts";
import { batchedReads } from "../../src/platform/aws/dynamodb/batched-reads.ts";
import { documentClient } from "../../src/platform/aws/sdk/clients.ts";

const key = (run: string) => ({ pk: `RUN#${run}`, sk: "RUN" });

/** Reads of a table whose item of the run `hot` DynamoDB never returns, and that has none of the run `none`. */
function reads() {
  const documents = documentClient({ region: "eu-central-1" });
  const dynamo = mockClient(documents);
  dynamo
    .on(BatchGetCommand)
    .callsFake(({ RequestItems }: { RequestItems: Record<string, { Keys: { pk: string }[] }> }) => {
      const keys = RequestItems["T"]?.Keys ?? [];
      const [hot, others] = [keys.filter(({ pk }) => pk === "RUN#hot"), keys.filter(({ pk }) => pk !== "RUN#hot")];
      const T = others.filter(({ pk }) => pk !== "RUN#none");
      return { Responses: { T }, UnprocessedKeys: hot.length > 0 ? { T: { Keys: hot } } : {} };
    });
  return { dynamo, read: batchedReads({ documents, table: "T" }) };
}

test("reads at the same time are one request, which has each item once", async () => {
  const { dynamo, read } = reads();
  const found = await Promise.all([
    read(key("a"), true),
    read(key("b"), true),
    read(key("a"), true),
    read(key("none"), true),
  ]);
  expect(found).toEqual([key("a"), key("b"), key("a"), undefined]);
  expect(dynamo.calls()).toHaveLength(1);
});

test("an item that DynamoDB does not return fails its own read only, and delays no other", async () => {
  const { dynamo, read } = reads();
  const hot = read(key("hot"), true).catch((error: unknown) => error);
  expect(await read(key("a"), true)).toEqual(key("a"));
  expect(dynamo.calls()).toHaveLength(1);
  expect(await hot).toBeInstanceOf(StoreUnavailable);
  expect(dynamo.calls().length).toBeGreaterThan(1);
});

test("an error of a request fails its reads", async () => {
  const { dynamo, read } = reads();
  dynamo.on(BatchGetCommand).rejects(new Error("no network"));
  const found = await Promise.allSettled([read(key("a"), false), read(key("b"), false)]);
  expect(found.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

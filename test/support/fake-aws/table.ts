import { organizationIndex } from "../../../src/platform/aws/dynamodb/table.ts";
import { type Attribute, type Expressions, type Item, meets, updated } from "./expressions.ts";
import { TableItems } from "./items.ts";

type Write = Expressions & {
  Key?: Item;
  Item?: Item;
  ConditionExpression?: string;
  UpdateExpression?: string;
  ReturnValuesOnConditionCheckFailure?: "ALL_OLD";
};
type Input = Write & Record<string, unknown>;

/** A response of DynamoDB: status and body. */
export interface TableResponse {
  status: number;
  body: object;
}

/** DynamoDB accepts items of 400 KB. The JSON of an item is longer, so the fake accepts less. */
const maxItemLength = 400 * 1024;

/** One DynamoDB table in memory, with the operations that the stores use. Reads are consistent; a page ends at `Limit` or 1 MB. */
export function fakeTable() {
  const items = new TableItems();
  const transactions = new Set<string>();

  function perform(operation: string, input: Input): TableResponse {
    const writes = (input["TransactItems"] ?? [{ Put: input }]) as Record<string, Write>[];
    if (writes.some(({ Put }) => JSON.stringify(Put?.Item ?? {}).length > maxItemLength)) {
      return failed("ValidationException", "Item size has exceeded the maximum allowed size");
    }
    switch (operation) {
      case "PutItem":
        return write({ Put: input });
      case "DeleteItem":
        return write({ Delete: input }, { Attributes: items.get(keyOf(input.Key)) });
      case "GetItem":
        return ok({ Item: items.get(keyOf(input.Key)) });
      case "UpdateItem": {
        const before = items.get(keyOf(input.Key));
        return write({ Update: input }, { Attributes: before });
      }
      case "TransactWriteItems":
        return transact(input);
      case "BatchGetItem":
        return ok({ Responses: batch(input), UnprocessedKeys: {} });
      case "Query":
        return query(input);
      default:
        return failed("ValidationException", `the fake table does not support ${operation}`);
    }
  }

  function transact(input: Input): TableResponse {
    const { ClientRequestToken: token, TransactItems = [] } = input as {
      ClientRequestToken?: string;
      TransactItems?: Record<string, Write>[];
    };
    if (token !== undefined && transactions.has(token)) return ok({});
    const CancellationReasons = TransactItems.map((each) => {
      if (accepts(each)) return { Code: "None" };
      const { Key, Item, ReturnValuesOnConditionCheckFailure: returned } = Object.values(each)[0] ?? {};
      const stored = returned === "ALL_OLD" ? items.get(keyOf(Key ?? Item)) : undefined;
      return { Code: "ConditionalCheckFailed", ...(stored && { Item: stored }) };
    });
    if (CancellationReasons.some(({ Code }) => Code !== "None")) {
      return failed("TransactionCanceledException", "Canceled.", { CancellationReasons });
    }
    for (const each of TransactItems) apply(each);
    if (token !== undefined) transactions.add(token);
    return ok({});
  }

  function write(each: Record<string, Write>, body = {}): TableResponse {
    if (!accepts(each)) return failed("ConditionalCheckFailedException", "The condition is false.");
    apply(each);
    return ok(body);
  }

  function accepts(entry: Record<string, Write>): boolean {
    const each = Object.values(entry)[0] ?? {};
    return !each.ConditionExpression || meets(each.ConditionExpression, items.get(keyOf(each.Key ?? each.Item)), each);
  }

  function apply({ Put, Update, Delete }: Record<string, Write>): void {
    if (Put?.Item) items.set(keyOf(Put.Item), Put.Item);
    if (Delete) items.delete(keyOf(Delete.Key));
    if (!Update?.Key) return;
    const before = items.get(keyOf(Update.Key)) ?? Update.Key;
    items.set(keyOf(Update.Key), updated(Update.UpdateExpression ?? "", before, Update));
  }

  function batch(input: Input): Record<string, Item[]> {
    const requests = Object.entries(input["RequestItems"] as Record<string, { Keys: Item[] }>);
    if (requests.some(([, { Keys }]) => Keys.length > 100)) throw new Error("DynamoDB accepts 100 keys");
    return Object.fromEntries(
      requests.map(([name, { Keys }]) => [
        name,
        Keys.map((key) => items.get(keyOf(key))).filter((item) => item !== undefined),
      ]),
    );
  }

  function query(input: Input): TableResponse {
    const condition = String(input["KeyConditionExpression"]);
    const index = input["IndexName"] as string | undefined;
    const sortKey =
      index === undefined ? "sk" : index === organizationIndex.name ? organizationIndex.sortKey : `${index}sk`;
    const [, partition, value = ""] = /^(\w+) = (:\w+)/.exec(condition) ?? [];
    if (partition === undefined) throw new Error(`the fake table does not support ${condition}`);
    const wanted = text(input.ExpressionAttributeValues?.[value]);
    const found = items
      .with(partition, wanted)
      .filter((item) => meets(condition, item, input))
      .toSorted((a, b) => (text(a[sortKey]) < text(b[sortKey]) ? -1 : 1));
    if (input["ScanIndexForward"] === false) found.reverse();
    const start = input["ExclusiveStartKey"] as Item | undefined;
    const first = start ? found.findIndex((item) => keyOf(item) === keyOf(start)) + 1 : 0;
    const read = firstMegabyte(found.slice(first, first + Number(input["Limit"] ?? Infinity)));
    const Items = index === organizationIndex.name ? read.map(keysOf) : read;
    const last = Items.at(-1);
    const more = last && first + Items.length < found.length;
    const filter = input["FilterExpression"] as string | undefined;
    const passed = filter === undefined ? Items : Items.filter((item) => meets(filter, item, input));
    return ok({ Items: passed, Count: passed.length, ...(more && { LastEvaluatedKey: lastKeyOf(last) }) });
  }

  return { items, perform };
}

function firstMegabyte(found: Item[]): Item[] {
  let bytes = 0;
  const end = found.findIndex((item) => (bytes += JSON.stringify(item).length) > 1_000_000);
  return end === -1 ? found : found.slice(0, Math.max(1, end));
}

export function failed(type: string, message: string, more = {}): TableResponse {
  return { status: 400, body: { __type: type, message, ...more } };
}

function ok(body: object): TableResponse {
  return { status: 200, body };
}

/** What an index that projects KEYS_ONLY has of an item. */
function keysOf({ pk, sk, organizationId, gsi1sk }: Item): Item {
  return { pk, sk, organizationId, gsi1sk } as Item;
}

function keyOf(key: Item | undefined): string {
  return `${text(key?.["pk"])} ${text(key?.["sk"])}`;
}

function text(attribute: Attribute | undefined): string {
  return String((attribute as { S?: string } | undefined)?.S);
}

const keyName = /^(pk|sk|gsi\d(pk|sk))$/;

/** The key of an item, with its keys in the indexes. */
function lastKeyOf(item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => keyName.test(name)));
}

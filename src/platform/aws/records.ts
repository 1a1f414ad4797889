import { randomUUID } from "node:crypto";
import {
  DeleteCommand,
  GetCommand,
  paginateQuery,
  type QueryCommandInput,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { type Change, fieldsOf, type Item, type Key, type Kind, type List, type Records } from "../records/port.ts";
import { sendConditional } from "./dynamodb/conditional-write.ts";
import type { Write } from "./dynamodb/head-write.ts";
import { readText, type StoredText, storeText } from "./dynamodb/large-text.ts";
import { expiryAfter, isExpired, placeIn, placeKey, type RunsTable } from "./dynamodb/run-items.ts";
import { afterAllTimes, objectPrefixes } from "./dynamodb/table.ts";
import type { DynamoTable } from "./sdk/clients.ts";
import { isConditionFailure, withMappedErrors } from "./sdk/sdk-errors.ts";

/** Of one transaction, which has at most 4 MB: a text in an item has less than 64 KiB. */
const changesAtOnce = 50;
const removedAtOnce = 25; // items

type Update = NonNullable<Write["Update"]>;
type RecordsTable = DynamoTable & Partial<Pick<RunsTable, "objects" | "retentionDays">>;

/** The item of a new record. */
export function itemOf<T extends object>({ keyOf, item }: Kind<T>, record: T): Item {
  return { ...(item.attributes?.(record) ?? record), ...item.lists?.(record), ...item.key(...keyOf(record)) };
}

/** Records as items. `objects`: the bucket, of kinds whose records are texts. */
export function awsRecords({ documents, table, objects, retentionDays }: RecordsTable): Records {
  const TableName = table;
  const bucket = objects ?? (() => Promise.reject(new Error("these records have no texts")));

  async function recordIn<T extends object>(kind: Kind<T>, item: Item): Promise<T | undefined> {
    if (typeof item["listed"] === "string") return find(kind, item["listed"]);
    if (kind.item.text) return JSON.parse(await readText(bucket, item as StoredText)) as T;
    const fields = fieldsOf(item);
    return kind.item.record ? kind.item.record(fields) : (fields as T);
  }

  async function find<T extends object>(kind: Kind<T>, ...key: Key): Promise<T | undefined> {
    const command = new GetCommand({ TableName, Key: kind.item.key(...key), ConsistentRead: true });
    const { Item: item } = await documents.send(command);
    return item && !(kind.item.text && isExpired(item)) ? recordIn(kind, item) : undefined;
  }

  async function writesOf(change: Change): Promise<Write[]> {
    const { kind } = change;
    const { key: itemKey, lists, listings, text } = kind.item;
    if ("removed" in change) {
      const Delete = { TableName, Key: itemKey(...change.removed), ConditionExpression: "attribute_exists(pk)" };
      return [{ Delete }];
    }
    const { record, before } = change;
    const key = kind.keyOf(record);
    if (!text) {
      const further = before === "none" ? (listings?.(record) ?? []) : [];
      return [
        { Put: { TableName, Item: itemOf(kind, record), ...conditionOf(before) } },
        ...further.map((Item) => ({ Put: { TableName, Item } })),
      ];
    }
    const { revision } = record as { revision: number };
    const stored = await storeText(bucket, String(key[0]), JSON.stringify(record));
    const fields = { ...lists?.(record), revision, ...stored };
    if (typeof before === "number")
      return [{ Update: { TableName, Key: itemKey(...key), ...updateOf(fields, before) } }];
    const Item = { ...itemKey(...key), ...fields, ...expiryAfter(retentionDays) };
    return [{ Put: { TableName, Item, ...conditionOf(before) } }];
  }

  async function commit(changes: Change[]): Promise<boolean> {
    // Those behind the first ones come before them: after a crash, they expire.
    const others = changes.slice(changesAtOnce);
    if (others.length > 0 && !(await commit(others))) return false;
    const TransactItems = (await Promise.all(changes.slice(0, changesAtOnce).map(writesOf))).flat();
    const command = new TransactWriteCommand({ TransactItems, ClientRequestToken: randomUUID() });
    const sent = await sendConditional(async () => {
      await documents.send(command);
      return true;
    });
    return sent ?? false;
  }

  function queryOf<T extends object, Found>(
    { query, newestFirst, attributes }: List<T, Found>,
    of: (string | undefined)[],
  ): QueryCommandInput & { ExpressionAttributeValues: Item } {
    const { index, pk, prefix } = query(...of);
    const [partition, sort] = index ? [`${index}pk`, `${index}sk`] : ["pk", "sk"];
    return {
      TableName,
      ...(index ? { IndexName: index } : { ConsistentRead: true }),
      KeyConditionExpression: `${partition} = :pk${prefix === undefined ? "" : ` AND begins_with(${sort}, :prefix)`}`,
      ExpressionAttributeValues: { ":pk": pk, ...(prefix !== undefined && { ":prefix": prefix }) },
      ...(newestFirst && { ScanIndexForward: false }),
      ...(attributes && {
        ProjectionExpression: attributes.map((name) => `#${name}`).join(", "),
        ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${name}`, name])), // some are reserved words
      }),
    };
  }

  async function foundIn<T extends object, Found>({ kind, found }: List<T, Found>, items: Item[]): Promise<Found[]> {
    const live = kind.item.text ? items.filter((item) => !isExpired(item)) : items;
    if (found) return live.map(found);
    const records = await Promise.all(live.map((item) => recordIn(kind, item)));
    return records.filter((record) => record !== undefined) as unknown[] as Found[];
  }

  async function first<T extends object, Found>(
    list: List<T, Found>,
    of: (string | undefined)[],
    limit = Infinity,
  ): Promise<Found[]> {
    const items: Item[] = [];
    const query = { ...queryOf(list, of), ...(limit < Infinity && { Limit: limit }) };
    for await (const { Items = [] } of paginateQuery({ client: documents }, query)) {
      items.push(...Items);
      if (items.length >= limit) break;
    }
    return foundIn(list, items.slice(0, limit));
  }

  return withMappedErrors<Records>(objects ? "DynamoDB or S3" : "DynamoDB", {
    find,
    commit,
    first,
    list: (list, ...of) => first(list, of),

    async findPart({ kind, attribute }, ...key) {
      const names = {
        ProjectionExpression: `#${attribute}`,
        ExpressionAttributeNames: { [`#${attribute}`]: attribute },
      };
      const command = new GetCommand({ TableName, Key: kind.item.key(...key), ConsistentRead: true, ...names });
      const { Item: item } = await documents.send(command);
      return item?.[attribute] as never;
    },

    async page(list, of, { after, limit }) {
      const query = queryOf(list, of);
      const sort = query.IndexName === undefined ? "sk" : `${query.IndexName}sk`;
      const command = new QueryCommand({
        ...query,
        KeyConditionExpression: `${query.KeyConditionExpression} AND ${sort} < :after`,
        ExpressionAttributeValues: {
          ...query.ExpressionAttributeValues,
          ":after": after ? placeKey(after) : afterAllTimes,
        },
        ScanIndexForward: false,
        Limit: limit,
      });
      const { Items = [], LastEvaluatedKey } = await documents.send(command);
      const last = LastEvaluatedKey && Items.at(-1);
      const next = last && placeIn({ gsi1sk: last[sort] });
      return { found: await foundIn(list, Items), ...(next && { next }) };
    },

    async touch(kind, key, at, before) {
      const command = new UpdateCommand({
        TableName,
        Key: kind.item.key(...key),
        ConditionExpression: "attribute_exists(pk) AND (attribute_not_exists(lastUsedAt) OR lastUsedAt < :before)",
        UpdateExpression: "SET lastUsedAt = :at",
        ExpressionAttributeValues: { ":at": at, ":before": before },
      });
      await documents.send(command).catch((error: unknown) => {
        if (!isConditionFailure(error)) throw error;
      });
    },

    async removeAll(list, ...of) {
      const query = { ...queryOf(list, of), ProjectionExpression: "pk, sk", Limit: removedAtOnce };
      for await (const { Items = [] } of paginateQuery({ client: documents }, query)) {
        await Promise.all(Items.map((Key) => documents.send(new DeleteCommand({ TableName, Key }))));
      }
      if (list.kind.item.text) await (await bucket()).removeAll(`${objectPrefixes.texts}${of[0]}/`);
    },
  });
}

function conditionOf(
  before: number | "none" | undefined,
): Pick<Update, "ConditionExpression" | "ExpressionAttributeValues"> {
  if (before === undefined) return {};
  if (before === "none") return { ConditionExpression: "attribute_not_exists(pk)" };
  if (before === 0) return { ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(revision)" };
  return { ConditionExpression: "revision = :revision", ExpressionAttributeValues: { ":revision": before } };
}

/** Replaces the text of an item that has the revision before. Undefined fields are removed. */
function updateOf(given: Item, before: number) {
  const fields: Item = { text: undefined, textKey: undefined, ...given };
  const names = Object.keys(fields);
  const kept = names.filter((name) => fields[name] !== undefined);
  const removed = names.filter((name) => fields[name] === undefined);
  return {
    ConditionExpression: "#revision = :before",
    UpdateExpression:
      `SET ${kept.map((name) => `#${name} = :${name}`).join(", ")}` +
      ` REMOVE ${removed.map((name) => `#${name}`).join(", ")}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ":before": before,
      ...Object.fromEntries(kept.map((name) => [`:${name}`, fields[name]])),
    },
  };
}

import { randomUUID } from "node:crypto";
import { DeleteCommand, GetCommand, paginateQuery, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { Along } from "../../accounts/types.ts";
import { isActive } from "../../trials/names.ts";
import type { Trials } from "../../trials/ports.ts";
import type { Trial, TrialCase } from "../../trials/types.ts";
import { auditItem } from "./audit.ts";
import { sendConditional } from "./dynamodb/conditional-write.ts";
import type { Write } from "./dynamodb/head-write.ts";
import { readText, type StoredText, storeText } from "./dynamodb/large-text.ts";
import { expiryAfter, isExpired, type Item, placeIn, placeKey, type RunsTable } from "./dynamodb/run-items.ts";
import { afterAllTimes, head, listIndex, objectPrefixes, runningIndex } from "./dynamodb/table.ts";
import { withMappedErrors } from "./sdk/errors.ts";

/** Cases of one transaction. A text in an item has less than 64 KiB, and a transaction at most 4 MB. */
const casesAtOnce = 50;
const removedAtOnce = 25; // items

/**
 * Trials and their cases as JSON texts in items, because DynamoDB keeps no order of fields and accepts 32 levels. A trial's
 * items have the expiry of its creation: changes keep it.
 */
export function awsTrials({ documents, table, objects, retentionDays }: RunsTable): Trials {
  /** False: a condition is not met, and nothing was written. */
  async function transact(writes: Write[], { audit }: Along = {}): Promise<boolean> {
    const audited: Write[] = audit ? [{ Put: { TableName: table, Item: auditItem(audit) } }] : [];
    const command = new TransactWriteCommand({
      TransactItems: [...writes, ...audited],
      ClientRequestToken: randomUUID(),
    });
    return (await sendConditional(() => documents.send(command))) !== undefined;
  }

  /** Undefined: there is none, or it has expired. */
  async function read(Key: ItemKey): Promise<Item | undefined> {
    const { Item } = await documents.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }));
    return Item && !isExpired(Item) ? Item : undefined;
  }

  async function parse<Body>(item: Item): Promise<Body> {
    return JSON.parse(await readText(objects, item as StoredText)) as Body;
  }

  async function putOf(key: ItemKey, trialId: string, body: Trial | TrialCase, more: Item): Promise<Write> {
    const stored = await storeText(objects, trialId, JSON.stringify(body));
    const Item = { ...key, ...more, revision: body.revision, ...stored };
    return { Put: { TableName: table, Item, ConditionExpression: "attribute_not_exists(pk)" } };
  }

  /** Replaces the text of an item that has the revision before. Undefined fields of `more` are removed. */
  async function replaceOf(key: ItemKey, trialId: string, body: Trial | TrialCase, more: Item): Promise<Write> {
    const stored = await storeText(objects, trialId, JSON.stringify(body));
    const fields: Item = { ...more, text: undefined, textKey: undefined, ...stored, revision: body.revision };
    const names = Object.keys(fields);
    const kept = names.filter((name) => fields[name] !== undefined);
    const removed = names.filter((name) => fields[name] === undefined);
    return {
      Update: {
        TableName: table,
        Key: key,
        ConditionExpression: "#revision = :before",
        UpdateExpression:
          `SET ${kept.map((name) => `#${name} = :${name}`).join(", ")}` +
          ` REMOVE ${removed.map((name) => `#${name}`).join(", ")}`,
        ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: {
          ":before": body.revision - 1,
          ...Object.fromEntries(kept.map((name) => [`:${name}`, fields[name]])),
        },
      },
    };
  }

  /** The items of a trial's cases, in pages. */
  function casePages(trialId: string, page: { ProjectionExpression?: string; Limit?: number } = {}) {
    return paginateQuery(
      { client: documents },
      {
        TableName: table,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :cases)",
        ExpressionAttributeValues: { ":pk": partitionOf(trialId), ":cases": casePrefix },
        ConsistentRead: true,
        ...page,
      },
    );
  }

  return withMappedErrors<Trials>("DynamoDB or S3", {
    async create(trial, cases, along) {
      const { id } = trial;
      const expiry = expiryAfter(retentionDays);
      // The trial comes last: after a crash, there is none. Its cases then expire.
      const taken = new Error(`trial ${id} already exists; use a new id`);
      for (let start = 0; start < cases.length; start += casesAtOnce) {
        const batch = cases.slice(start, start + casesAtOnce);
        const puts = batch.map((one) => putOf(caseKey(id, one.number), id, one, { ...listedBySource(one), ...expiry }));
        if (!(await transact(await Promise.all(puts)))) throw taken;
      }
      const listed = { id, gsi1pk: listOf(trial.agentId), gsi1sk: placeKey(trial) };
      const put = await putOf(headKey(id), id, trial, { ...listed, ...activeKeys(trial), ...expiry });
      if (!(await transact([put], along))) throw taken;
    },

    async find(id) {
      const item = await read(headKey(id));
      return item && parse<Trial>(item);
    },

    async list({ agentId, limit, after }) {
      const command = new QueryCommand({
        TableName: table,
        IndexName: listIndex.name,
        KeyConditionExpression: "gsi1pk = :pk AND gsi1sk < :after",
        ExpressionAttributeValues: { ":pk": listOf(agentId), ":after": after ? placeKey(after) : afterAllTimes },
        ScanIndexForward: false,
        Limit: limit,
      });
      const { Items = [], LastEvaluatedKey } = await documents.send(command);
      const last = LastEvaluatedKey && Items.at(-1);
      const trials = await Promise.all(Items.filter((item) => !isExpired(item)).map(parse<Trial>));
      return { trials, ...(last && { next: placeIn(last) }) };
    },

    async listActive() {
      const found: string[] = [];
      const pages = paginateQuery(
        { client: documents },
        {
          TableName: table,
          IndexName: runningIndex.name,
          KeyConditionExpression: "gsi2pk = :pk",
          ExpressionAttributeValues: { ":pk": activeTrials },
        },
      );
      for await (const { Items = [] } of pages) found.push(...Items.map(({ gsi2sk }) => String(gsi2sk)));
      return found;
    },

    async replace(trial, along) {
      const { gsi2pk, gsi2sk } = activeKeys(trial);
      return transact([await replaceOf(headKey(trial.id), trial.id, trial, { gsi2pk, gsi2sk })], along);
    },

    async claim(trial, cases) {
      const { id } = trial;
      const { gsi2pk, gsi2sk } = activeKeys(trial);
      const replaced = replaceOf(headKey(id), id, trial, { gsi2pk, gsi2sk });
      const claimed = cases.map((one) => replaceOf(caseKey(id, one.number), id, one, {}));
      return transact(await Promise.all([replaced, ...claimed]));
    },

    async listCases(trialId) {
      const found: Item[] = [];
      for await (const { Items = [] } of casePages(trialId)) found.push(...Items.filter((item) => !isExpired(item)));
      return Promise.all(found.map(parse<TrialCase>));
    },

    async findCase(trialId, number) {
      const item = await read(caseKey(trialId, number));
      return item && parse<TrialCase>(item);
    },

    async listCasesOf(runId) {
      const found: Item[] = [];
      const pages = paginateQuery(
        { client: documents },
        {
          TableName: table,
          IndexName: listIndex.name,
          KeyConditionExpression: "gsi1pk = :pk",
          ProjectionExpression: "gsi1sk",
          ExpressionAttributeValues: { ":pk": casesOf(runId) },
        },
      );
      for await (const { Items = [] } of pages) found.push(...Items);
      return found.map(({ gsi1sk }) => {
        const [trialId = "", number] = String(gsi1sk).split("#");
        return { trialId, number: Number(number) };
      });
    },

    async replaceCase(one, along) {
      const { trialId, number } = one;
      return transact([await replaceOf(caseKey(trialId, number), trialId, one, {})], along);
    },

    async remove(id, along) {
      for await (const { Items = [] } of casePages(id, { ProjectionExpression: "pk, sk", Limit: removedAtOnce })) {
        await Promise.all(Items.map((Key) => documents.send(new DeleteCommand({ TableName: table, Key }))));
      }
      await (await objects()).removeAll(`${objectPrefixes.texts}${id}/`);
      // The trial is last: until then, it is listed, and another call continues.
      const Delete = { TableName: table, Key: headKey(id), ConditionExpression: "attribute_exists(pk)" };
      await transact([{ Delete }], along);
    },
  });
}

type ItemKey = Record<"pk" | "sk", string>;

const casePrefix = "CASE#";
/** Partition of active trials in the running index: there are few, and changes of cases do not write it. */
const activeTrials = "TRIALS#ACTIVE";

function partitionOf(trialId: string): string {
  return `TRIAL#${trialId}`;
}

function headKey(trialId: string): ItemKey {
  return { pk: partitionOf(trialId), sk: head };
}

function caseKey(trialId: string, number: number): ItemKey {
  return { pk: partitionOf(trialId), sk: casePrefix + String(number).padStart(5, "0") };
}

function listOf(agentId: string): string {
  return `TRIALS#${agentId}`;
}

function casesOf(runId: string): string {
  return `TRIED#${runId}`;
}

/** Keys of a case in the list index: by the recorded run. */
function listedBySource({ trialId, number, source }: TrialCase): { gsi1pk: string; gsi1sk: string } {
  return { gsi1pk: casesOf(source.runId), gsi1sk: `${trialId}#${number}` };
}

/** Keys of a trial in the running index. */
function activeKeys({ id, status }: Trial): { gsi2pk?: string; gsi2sk?: string } {
  return isActive(status) ? { gsi2pk: activeTrials, gsi2sk: id } : {};
}

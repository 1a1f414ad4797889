import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import {
  type DynamoDBDocumentClient,
  paginateQuery,
  type QueryCommandInput,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { StoreUnavailable } from "../../runs/errors.ts";
import type { Runs, RunState, StepRecord, TranscriptMessage, TurnMessage } from "../../runs/ports.ts";
import { isConditionFailure, isTransientCancellation, withMappedErrors } from "./errors.ts";
import type { Objects } from "./objects.ts";
import {
  agentRuns,
  firstStep,
  headWrite,
  type Item,
  messageKey,
  messagesIn,
  partition,
  running,
  startingWith,
  stepKey,
  stepsOf,
  toItem,
  toRun,
  type Write,
} from "./run-items.ts";
import { listIndex, runningIndex, shards } from "./table.ts";
import { readText, type StoredText, storeText } from "./texts.ts";

const absent = "attribute_not_exists(pk)";
const attempts = 5;
const firstPause = 40; // ms; doubled each time, with full jitter: 1.2 s in all at most

/** `objects`: where texts too large for the table go; it is opened when the first one is met. */
interface Home {
  documents: DynamoDBDocumentClient;
  table: string;
  objects: () => Promise<Objects>;
}

export function awsRuns({ documents, table, objects }: Home): Runs {
  /**
   * True when all writes were applied, false when a condition failed. The token makes the client's own retry after a
   * lost answer harmless: DynamoDB answers it with success, not with a condition that its first attempt has already
   * made false. It is new for each call, so that of two equal calls only one wins. This is also why even one item is
   * written by a transaction. Contention and throttling say nothing about the conditions: those are tried again.
   */
  async function applied(writes: Write[]): Promise<boolean> {
    const input = { TransactItems: writes, ClientRequestToken: randomUUID() };
    for (let attempt = 1; ; attempt++) {
      try {
        await documents.send(new TransactWriteCommand(input));
        return true;
      } catch (error) {
        if (isConditionFailure(error)) return false;
        if (!isTransientCancellation(error) || attempt === attempts) throw error;
        await backOff(attempt);
      }
    }
  }

  function messageWrites(runId: string, messages: TurnMessage[]): Promise<Write[]> {
    return Promise.all(
      messages.map(async (message) => {
        const stored = await storeText(objects, runId, message.text);
        return put({ ...messageKey(runId, message), role: message.role, ...stored });
      }),
    );
  }

  function stepWrites(runId: string, steps: StepRecord[]): Promise<Write[]> {
    return Promise.all(
      steps.map(async (step) => {
        const stored = await storeText(objects, runId, JSON.stringify(step));
        return put({ ...stepKey(runId, step), ...stored });
      }),
    );
  }

  function put(item: Item): Write {
    return { Put: { TableName: table, Item: item, ConditionExpression: absent } };
  }

  function query(input: Omit<QueryCommandInput, "TableName">) {
    return paginateQuery({ client: documents }, { ...input, TableName: table });
  }

  /** The run's items in order, with or without its current turn's steps: one Query unless they exceed 1 MB. */
  async function itemsOf(id: string, withSteps: boolean): Promise<Item[]> {
    const found: Item[] = [];
    const pages = query({
      KeyConditionExpression: withSteps ? "pk = :pk" : "pk = :pk AND sk < :steps",
      ExpressionAttributeValues: { ":pk": partition(id), ...(withSteps ? {} : { ":steps": firstStep }) },
      ConsistentRead: true,
    });
    for await (const { Items = [] } of pages) {
      found.push(...Items);
      const [first, last] = [found[0], found.at(-1)];
      // What follows the current turn's steps are those of older turns.
      if (first && last && String(last["sk"]) > `${stepsOf(toRun(first).turn)}~`) break;
    }
    return found;
  }

  /**
   * A Query may run into the middle of a transaction's writes and see the run's new status without the message that
   * came with it. The run counts its messages, so that such a read is noticed and done again.
   */
  async function wholeItemsOf(id: string, withSteps: boolean): Promise<Item[]> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const found = await itemsOf(id, withSteps);
      if (messagesIn(found).length >= Number(found[0]?.["messageCount"] ?? 0)) return found;
      await backOff(attempt);
    }
    throw new StoreUnavailable(`run ${id}: its transcript is still being written; try again later`);
  }

  async function find(id: string, withSteps: boolean): Promise<RunState | undefined> {
    const found = await wholeItemsOf(id, withSteps);
    if (!found[0]) return undefined;
    const run = toRun(found[0]);
    const [transcript, steps] = await Promise.all([
      Promise.all(messagesIn(found).map(toMessage)),
      Promise.all(startingWith(found, stepsOf(run.turn)).map(toStep)),
    ]);
    return { run, transcript, steps };
  }

  async function toMessage(item: Item): Promise<TranscriptMessage> {
    return { role: item["role"] as TranscriptMessage["role"], text: await readText(objects, item as StoredText) };
  }

  async function toStep(item: Item): Promise<StepRecord> {
    return JSON.parse(await readText(objects, item as StoredText)) as StepRecord;
  }

  /** All shards of a list at the same time; of each at most `limit` items or the end of the page that has them. */
  async function fromShards(list: string, input: Partial<QueryCommandInput>, limit = Infinity): Promise<Item[]> {
    const fromShard = async (_: unknown, shard: number): Promise<Item[]> => {
      const found: Item[] = [];
      for await (const { Items = [] } of query({
        ...input,
        ExpressionAttributeValues: { ":pk": `${list}#${shard}` },
      })) {
        found.push(...Items);
        if (found.length >= limit) break;
      }
      return found;
    };
    return (await Promise.all(Array.from({ length: shards }, fromShard))).flat();
  }

  return withMappedErrors<Runs>("DynamoDB or S3", {
    async create(run, messages) {
      const writes = [put(toItem(run, messages.length)), ...(await messageWrites(run.id, messages))];
      if (await applied(writes)) return;
      throw new Error(`run ${run.id} or one of its messages exists already; a new run needs an id of its own`);
    },

    async read(id) {
      const found = await find(id, false);
      return found && { run: found.run, transcript: found.transcript };
    },

    load: (id) => find(id, true),

    async change(change) {
      const { runId, messages = [], steps = [] } = change;
      const writes = await Promise.all([messageWrites(runId, messages), stepWrites(runId, steps)]);
      return applied([headWrite(table, change), ...writes.flat()]);
    },

    async listByAgent(agentId, limit) {
      const newestFirst = { KeyConditionExpression: "gsi1pk = :pk", ScanIndexForward: false, Limit: limit };
      const found = await fromShards(agentRuns(agentId), { IndexName: listIndex.name, ...newestFirst }, limit);
      return found
        .map(toRun)
        .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
        .slice(0, limit);
    },

    async listRunning() {
      const input = { IndexName: runningIndex.name, KeyConditionExpression: "gsi2pk = :pk" };
      return (await fromShards(running, input)).map((item) => {
        const { id, turn, updatedAt } = toRun(item);
        return { id, turn, updatedAt };
      });
    },
  });
}

async function backOff(attempt: number): Promise<void> {
  await pause(Math.random() * firstPause * 2 ** (attempt - 1));
}

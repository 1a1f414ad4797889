import { randomUUID } from "node:crypto";
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  paginateQuery,
  type QueryCommandInput,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { StoreUnavailable } from "../../runs/errors.ts";
import type {
  QueuedInput,
  Run,
  RunChange,
  Runs,
  RunState,
  StepRecord,
  TranscriptMessage,
  TurnMessage,
} from "../../runs/ports.ts";
import { attempts, backOff, conditional, readHead, runUpdates } from "./conditional.ts";
import { withMappedErrors } from "./errors.ts";
import { awsLeases } from "./leases.ts";
import type { Objects } from "./objects.ts";
import {
  agentRuns,
  allSteps,
  firstInternal,
  headWrite,
  type Item,
  messageKey,
  messagesIn,
  partition,
  queueIn,
  queueKey,
  running,
  startingWith,
  stepKey,
  stepsOf,
  summaryIn,
  summaryKey,
  toItem,
  toRun,
  type Write,
} from "./run-items.ts";
import { head, listIndex, objectPrefixes, runningIndex, shards, ttlAttribute } from "./table.ts";
import { readText, type StoredText, storeText } from "./texts.ts";

const erasedAtOnce = 25; // items
const absent = "attribute_not_exists(pk)";

/** `objects`: where texts too large for the table go; it is opened when the first one is met. */
interface Home {
  documents: DynamoDBDocumentClient;
  table: string;
  objects: () => Promise<Objects>;
  /** How long what is written is kept. Absent: for writers of nothing but a status. */
  retentionDays?: number;
}

export function awsRuns({ documents, table, objects, retentionDays }: Home): Runs {
  const updated = runUpdates({ documents, table });

  /**
   * True when all writes were applied, false when a condition failed. The token makes the client's own retry after a
   * lost answer harmless: DynamoDB answers it with success, not with a condition that its first attempt has already
   * made false. It is new for each call, so that of two equal calls only one wins. This is also why even one item is
   * written by a transaction.
   */
  async function applied(writes: Write[]): Promise<boolean> {
    const input = { TransactItems: writes, ClientRequestToken: randomUUID() };
    const written = async (): Promise<true> => {
      await documents.send(new TransactWriteCommand(input));
      return true;
    };
    return (await conditional(written)) ?? false;
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
    return { Put: { TableName: table, Item: { ...item, ...expiry() }, ConditionExpression: absent } };
  }

  /**
   * The run is written before everything that belongs to it, and so expires first. DynamoDB deletes late and in no
   * order: from the run's expiry on, whatever is left of it is not shown.
   */
  function expiry(): Item {
    return retentionDays === undefined
      ? {}
      : { [ttlAttribute]: Math.ceil(Date.now() / 1_000) + retentionDays * 86_400 };
  }

  async function queueWrites(runId: string, queue: RunChange["queue"]): Promise<Write[]> {
    // What was taken or dropped stays, uncounted, until the run is deleted.
    if (queue === undefined || queue === "drop" || "take" in queue) return [];
    const { turn, text } = queue.add;
    return [put({ ...queueKey(runId, turn), turn, ...(await storeText(objects, runId, text)) })];
  }

  async function summaryWrites(runId: string, summary: RunChange["summary"]): Promise<Write[]> {
    if (!summary) return [];
    const { throughTurn, text } = summary;
    const Item = { ...summaryKey(runId), ...expiry(), throughTurn, ...(await storeText(objects, runId, text)) };
    return [{ Put: { TableName: table, Item } }];
  }

  function query(input: Omit<QueryCommandInput, "TableName">) {
    return paginateQuery({ client: documents }, { ...input, TableName: table });
  }

  /** The run's items in order, with or without its current turn's steps: one Query unless they exceed 1 MB. */
  async function itemsOf(id: string, withSteps: boolean): Promise<Item[]> {
    const found: Item[] = [];
    const pages = query({
      KeyConditionExpression: withSteps ? "pk = :pk" : "pk = :pk AND sk < :internal",
      ExpressionAttributeValues: { ":pk": partition(id), ...(withSteps ? {} : { ":internal": firstInternal }) },
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
      const { messageCount = 0, queued = 0 } = found[0] ?? {};
      const queueWhole = !withSteps || queueIn(found).length >= Number(queued);
      if (messagesIn(found).length >= Number(messageCount) && queueWhole) return found;
      await backOff(attempt);
    }
    throw new StoreUnavailable(`run ${id}: its transcript is still being written; try again later`);
  }

  async function find(id: string, withSteps: boolean): Promise<RunState | undefined> {
    const found = await wholeItemsOf(id, withSteps);
    if (!found[0] || isExpired(found[0])) return undefined;
    const run = toRun(found[0]);
    const recap = summaryIn(found);
    const [transcript, steps, queue, summary] = await Promise.all([
      Promise.all(messagesIn(found).map(toMessage)),
      Promise.all(startingWith(found, stepsOf(run.turn)).map(toStep)),
      Promise.all(queueIn(found).map(toQueued)),
      recap && readText(objects, recap as StoredText),
    ]);
    const covered = summary !== undefined && {
      summary: { throughTurn: Number(recap?.["throughTurn"]), text: summary },
    };
    return { run, transcript, steps, queue, ...covered };
  }

  async function toQueued(item: Item): Promise<QueuedInput> {
    return { turn: Number(item["turn"]), text: await readText(objects, item as StoredText) };
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

    async listSteps(id) {
      const found: Item[] = [];
      const pages = query({
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :steps)",
        ExpressionAttributeValues: { ":pk": partition(id), ":steps": allSteps },
        ConsistentRead: true,
      });
      for await (const { Items = [] } of pages) found.push(...Items);
      return (await Promise.all(found.map(toStep))).toSorted((a, b) => a.turn - b.turn);
    },

    async change(change) {
      const { runId, messages = [], steps = [], queue, summary } = change;
      const writes = await Promise.all([
        messageWrites(runId, messages),
        stepWrites(runId, steps),
        queueWrites(runId, queue),
        summaryWrites(runId, summary),
      ]);
      return applied([headWrite(table, change), ...writes.flat()]);
    },

    ...awsLeases({ documents, table }),

    status: async (id) => (await readHead({ documents, table }, id))?.status as Run["status"] | undefined,

    async erase(id) {
      const bare = await updated(id, {
        ConditionExpression: "#status = :terminated",
        UpdateExpression: "SET #name = :none, messageCount = :zero, queued = :zero REMOVE failure",
        ExpressionAttributeNames: { "#status": "status", "#name": "name" },
        ExpressionAttributeValues: { ":terminated": "terminated", ":none": "", ":zero": 0 },
      });
      if (!bare) return false;
      const pages = query({
        KeyConditionExpression: "pk = :pk AND sk > :head",
        ProjectionExpression: "pk, sk",
        ExpressionAttributeValues: { ":pk": partition(id), ":head": head },
        ConsistentRead: true,
        Limit: erasedAtOnce,
      });
      for await (const { Items = [] } of pages) {
        await Promise.all(Items.map((Key) => documents.send(new DeleteCommand({ TableName: table, Key }))));
      }
      await (await objects()).removeAll(`${objectPrefixes.texts}${id}/`);
      return true;
    },

    async listByAgent(agentId, limit) {
      const newestFirst = { KeyConditionExpression: "gsi1pk = :pk", ScanIndexForward: false, Limit: limit };
      const found = await fromShards(agentRuns(agentId), { IndexName: listIndex.name, ...newestFirst }, limit);
      return found
        .filter((item) => !isExpired(item))
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

function isExpired(run: Item): boolean {
  return Number(run[ttlAttribute] ?? Infinity) * 1_000 <= Date.now();
}

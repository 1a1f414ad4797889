import { randomUUID } from "node:crypto";
import { type CancellationReason, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, paginateQuery, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { FileVersion } from "../../agent/turn/files/manifest.ts";
import type { RunChange, RunFacts, RunJournalEntry, Stamped, TurnMessage } from "../../runs/run-types.ts";
import { ServiceError } from "../../errors.ts";
import { requireAllEvents } from "../../runs/events.ts";
import { isKept } from "../../runs/erase/kept.ts";
import type { Runs } from "../../runs/ports.ts";
import { deliveryOf } from "../../runs/deliveries.ts";
import { bytesOfFiles, storedBytesOf } from "../../runs/files/stored-bytes.ts";
import { placeOf } from "../../runs/quotas.ts";
import { auditItem } from "./audit.ts";
import { sendConditional, runUpdates } from "./dynamodb/conditional-write.ts";
import { deliveryItem } from "./deliveries.ts";
import { headWrite, type Write } from "./dynamodb/head-write.ts";
import { awsIdempotency, keepKey, keptIn } from "./idempotency.ts";
import { erasingUpdate, toRun } from "./dynamodb/run-attributes.ts";
import {
  type Item,
  messageKey,
  partition,
  queueKey,
  type RunsTable,
  entryKey,
  expiryAfter,
  isExpired,
  filesKey,
  summaryKey,
  toItem,
  uploadsKey,
} from "./dynamodb/run-items.ts";
import { isConflict } from "./sdk/sdk-errors.ts";
import { countWrites, slotWrites } from "./dynamodb/quota-items.ts";
import { areSameFacts, dependsOnFacts, factsIn, maxAttempts } from "./dynamodb/run-facts.ts";
import { head } from "./dynamodb/table.ts";
import { ownPrefix } from "./s3/own-prefix.ts";
import { storeText } from "./dynamodb/large-text.ts";
import { storedBytesWrites } from "./dynamodb/stored-bytes.ts";

/** `conflict`: the error of a write that lost to another transaction on one of its items. */
type Applied = { applied: true } | { applied: false; reasons: CancellationReason[]; conflict?: unknown };

const erasedAtOnce = 25; // items
/** Items of a transaction that DynamoDB accepts. */
const maxWrites = 100;
const absent = "attribute_not_exists(pk)";

export function awsRunWrites(
  runsTable: RunsTable,
): Pick<Runs, "create" | "findCreated" | "change" | "listErasures" | "erase"> {
  const { documents, table, objects, retentionDays } = runsTable;
  const updateRun = runUpdates(runsTable);
  const { findCreated } = awsIdempotency(runsTable);

  /**
   * Applies all writes or, if a condition is false, none. The request token makes the client's retry after a lost response
   * safe: DynamoDB reports success instead of the condition that the first attempt made false. Single items are written in
   * a transaction for this reason, too. Each call has a new token, so only one of two equal calls succeeds.
   */
  async function transact(writes: Write[]): Promise<Applied> {
    const input = { TransactItems: writes, ClientRequestToken: randomUUID() };
    let reasons: CancellationReason[] = [];
    const send = async (): Promise<true> => {
      try {
        await documents.send(new TransactWriteCommand(input));
        return true;
      } catch (error) {
        if (error instanceof TransactionCanceledException) reasons = error.CancellationReasons ?? [];
        throw error;
      }
    };
    return (await sendConditional(send)) ? { applied: true } : { applied: false, reasons };
  }

  /** As `transact`. Too many transactions on the same counts or the same key also reject the writes. */
  async function transactContended(writes: Write[]): Promise<Applied> {
    try {
      return await transact(writes);
    } catch (error) {
      if (isConflict(error)) return { applied: false, reasons: [], conflict: error };
      throw error;
    }
  }

  function messageWrites(runId: string, messages: Stamped<TurnMessage>[]): Promise<Write[]> {
    return Promise.all(
      messages.map(async (message) => {
        const { turn, role, text, sequence, at, agentVersion, startedBy } = message;
        return put(runId, {
          ...messageKey(runId, message),
          turn,
          role,
          sequence,
          at,
          ...(agentVersion !== undefined && { agentVersion }),
          ...(startedBy && { startedBy }),
          ...(await storeText(objects, runId, text)),
        });
      }),
    );
  }

  function entryWrites(runId: string, entries: Stamped<RunJournalEntry>[]): Promise<Write[]> {
    return Promise.all(
      entries.map(async ({ sequence, at, ...entry }) => {
        const stored = await storeText(objects, runId, JSON.stringify(entry));
        const stamp = { sequence, at };
        return put(runId, { ...entryKey(runId, stamp), turn: entry.turn, ...stamp, ...stored });
      }),
    );
  }

  function put(runId: string, item: Item): Write {
    return { Put: { TableName: table, Item: { ...item, ...expiryOf(runId) }, ConditionExpression: absent } };
  }

  /**
   * Expiry of a new item. The run is written before its other items and so expires first. DynamoDB deletes late and in
   * any order: reads hide an expired run and what is left of it. What is kept has no expiry.
   */
  function expiryOf(runId: string): Item {
    return isKept(runId) ? {} : expiryAfter(retentionDays);
  }

  async function queueWrites(runId: string, queue: RunChange["queue"]): Promise<Write[]> {
    // Consumed inputs are not deleted; `queued` excludes them.
    if (queue === undefined || queue === "drop" || "take" in queue) return [];
    const { turn, text, startedBy } = queue.add;
    const sender = startedBy && { startedBy };
    return [put(runId, { ...queueKey(runId, turn), turn, ...sender, ...(await storeText(objects, runId, text)) })];
  }

  async function summaryWrites(runId: string, summary: RunChange["summary"]): Promise<Write[]> {
    if (!summary) return [];
    const { throughTurn, text } = summary;
    const Item = { ...summaryKey(runId), ...expiryOf(runId), throughTurn, ...(await storeText(objects, runId, text)) };
    return [{ Put: { TableName: table, Item } }];
  }

  async function uploadsWrites(runId: string, uploads: FileVersion[]): Promise<Write[]> {
    if (uploads.length === 0) return [];
    return [put(runId, { ...uploadsKey(runId), ...(await storeText(objects, runId, JSON.stringify(uploads))) })];
  }

  async function filesWrites({ runId, expect, files }: RunChange): Promise<Write[]> {
    if (!files) return [];
    const stored = await storeText(objects, runId, JSON.stringify(files));
    return [
      { Put: { TableName: table, Item: { ...filesKey(runId), ...expiryOf(runId), turn: expect.turn, ...stored } } },
    ];
  }

  /** Without a condition: what a delivery reports happens once. */
  function deliveryWrites(change: RunChange, facts: RunFacts | undefined): Write[] {
    const delivery = facts && deliveryOf(change, facts);
    return delivery
      ? [{ Put: { TableName: table, Item: { ...deliveryItem(delivery), ...expiryAfter(retentionDays) } } }]
      : [];
  }

  /** Unknown facts reject the change. */
  function bytesWrites(change: RunChange, facts: RunFacts | undefined): Write[] {
    const { createdAt } = facts ?? {};
    if (!facts || createdAt === undefined) return [];
    return storedBytesWrites(runsTable, { ...facts, createdAt, id: change.runId }, storedBytesOf(change));
  }

  function auditWrites(audit: RunChange["audit"]): Write[] {
    return audit ? [{ Put: { TableName: table, Item: auditItem(audit) } }] : [];
  }

  /** Subtracts the bytes of an erased run's files, once. False: another erasure has done so at the same time. */
  async function giveBack(item: Item): Promise<boolean> {
    const [run, bytes] = [toRun(item), Number(item["storedBytes"] ?? 0)];
    if (bytes === 0 || isExpired(item)) return true; // the counts expire with the run
    const Update = {
      TableName: table,
      Key: { pk: partition(run.id), sk: head },
      ConditionExpression: "storedBytes = :bytes",
      UpdateExpression: "REMOVE storedBytes",
      ExpressionAttributeValues: { ":bytes": bytes },
    };
    return (await transact([{ Update }, ...storedBytesWrites(runsTable, run, -bytes)])).applied;
  }

  return {
    findCreated,

    async create(run, messages, { slot, uploads = [], entries = [], summary, idempotency, audit } = {}) {
      if (entries.length > 0) requireAllEvents(run, [...messages, ...entries]);
      const bytes = bytesOfFiles(uploads);
      const counted = [...(slot ? slotWrites(table, slot) : []), ...storedBytesWrites(runsTable, run, bytes)];
      const extras = [uploads.length > 0, summary, idempotency, audit].filter(Boolean).length;
      requireRoom(run.id, messages.length + entries.length, 1 + extras + counted.length);
      // A large text is written first. If the transaction fails, it expires with the other texts.
      const texts = await Promise.all([
        messageWrites(run.id, messages),
        entryWrites(run.id, entries),
        summaryWrites(run.id, summary),
        uploadsWrites(run.id, uploads),
      ]);
      const keys = idempotency ? [keepKey(table, run, idempotency, expiryOf(run.id))] : [];
      const item = {
        ...toItem({ ...run, ...placeOf(slot, false) }, messages, uploads.length > 0),
        ...(bytes > 0 && { storedBytes: bytes }),
      };
      const stored = [put(run.id, item), ...texts.flat(), ...auditWrites(audit)];
      const send = slot || idempotency ? transactContended : transact;
      const result = await send([...keys, ...stored, ...counted]);
      if (result.applied) return "created";
      const { reasons, conflict } = result;
      // A conflict names no item: another create with the key may have stored its run.
      const replayed =
        idempotency && (conflict ? await findCreated(run.agentId, idempotency.key) : keptIn(reasons[0]?.Item));
      if (replayed) return { replayed };
      const exists = reasons.slice(keys.length, keys.length + stored.length).some(isFalse);
      if (slot && !exists) return "no_slot"; // also after a conflict: the caller checks the quotas again
      if (conflict) throw conflict;
      throw new Error(`run ${run.id} or one of its messages already exists; use a new id`);
    },

    async change(change) {
      const { runId, expect, messages = [], entries = [], queue, summary, audit, slot, idempotency } = change;
      const texts = await Promise.all([
        messageWrites(runId, messages),
        entryWrites(runId, entries),
        queueWrites(runId, queue),
        summaryWrites(runId, summary),
        filesWrites(change),
      ]);
      const keys = idempotency
        ? [keepKey(table, { id: runId, agentId: idempotency.agentId }, idempotency, expiryOf(runId))]
        : [];
      const stored = [...texts.flat(), ...auditWrites(audit), ...keys];
      // Repeats when the facts of the run are not those that the caller knew.
      for (let { facts } = change, attempt = 1; ; attempt++) {
        const dependent = [
          ...countWrites(table, change, facts),
          ...bytesWrites(change, facts),
          ...deliveryWrites(change, facts),
        ];
        const writes = [headWrite(table, change, facts), ...dependent, ...stored];
        // A waiting run keeps its place in the queue: a rejection would tell that it no longer waits.
        const isContended = (slot && !expect.waiting) || idempotency;
        const result = await (isContended ? transactContended(writes) : transact(writes));
        if (result.applied) return true;
        const actual = dependsOnFacts(change) ? factsIn(result.reasons[0]?.Item) : undefined;
        if (!actual || areSameFacts(change, actual, facts) || attempt === maxAttempts) return false;
        facts = actual;
      }
    },

    listErasures: async () => [],

    async erase(id) {
      const bare = await updateRun(id, {
        ...erasingUpdate,
        ConditionExpression: "#status = :terminated",
        ExpressionAttributeNames: { ...erasingUpdate.ExpressionAttributeNames, "#status": "status" },
        ExpressionAttributeValues: { ...erasingUpdate.ExpressionAttributeValues, ":terminated": "terminated" },
        ReturnValues: "ALL_NEW",
      });
      if (!bare?.Attributes || !(await giveBack(bare.Attributes))) return false;
      const pages = paginateQuery(
        { client: documents },
        {
          TableName: table,
          KeyConditionExpression: "pk = :pk AND sk > :head",
          ProjectionExpression: "pk, sk",
          ExpressionAttributeValues: { ":pk": partition(id), ":head": head },
          ConsistentRead: true,
          Limit: erasedAtOnce,
        },
      );
      for await (const { Items = [] } of pages) {
        await Promise.all(Items.map((Key) => documents.send(new DeleteCommand({ TableName: table, Key }))));
      }
      await (await objects()).removeAll(ownPrefix("texts", id));
      return true;
    },
  };
}

/** Throws for a new run whose items do not fit in a transaction. `others`: items besides its messages and journal. */
function requireRoom(runId: string, events: number, others: number): void {
  if (events + others <= maxWrites) return;
  throw new ServiceError(
    "invalid_argument",
    `run ${runId} would begin with a record of ${events} messages and journal entries; ` +
      `on AWS, at most ${maxWrites - others} can be written with a new run`,
  );
}

function isFalse({ Code }: CancellationReason): boolean {
  return Code === "ConditionalCheckFailed";
}

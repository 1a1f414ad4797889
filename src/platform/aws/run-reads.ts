import { paginateQuery, QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import type { FileVersion, ManifestFile } from "../../agent/turn/manifest.ts";
import { StoreUnavailable } from "../../errors.ts";
import type { RunStatus } from "../../runs/status.ts";
import type { QueuedInput, RunState, TranscriptMessage } from "../../runs/types.ts";
import type { Runs } from "../../runs/ports.ts";
import type { DynamoTable } from "./clients.ts";
import { attempts, backOff } from "./conditional-write.ts";
import {
  firstInternal,
  holdsAllEvents,
  isExpired,
  isOfEarlierTurn,
  type Item,
  journalIn,
  messageKey,
  messagesIn,
  partition,
  queueIn,
  readEntry,
  type RunsTable,
  filesIn,
  hasNewestFiles,
  summaryIn,
  toRun,
  uploadsIn,
  versionIn,
} from "./run-items.ts";
import { head } from "./table.ts";
import { readStart, readText, type StoredText } from "./large-text.ts";

export function awsRunReads({
  documents,
  table,
  objects,
}: RunsTable): Pick<Runs, "read" | "load" | "head" | "firstInput" | "status"> {
  function query(input: Omit<QueryCommandInput, "TableName">) {
    return paginateQuery({ client: documents }, { ...input, TableName: table });
  }

  /** Items of a run in order, with or without the journal of the current turn. One Query up to 1 MB. */
  async function itemsOf(id: string, withJournal: boolean): Promise<Item[]> {
    const found: Item[] = [];
    const pages = query({
      KeyConditionExpression: withJournal ? "pk = :pk" : "pk = :pk AND sk < :internal",
      ExpressionAttributeValues: { ":pk": partition(id), ...(withJournal ? {} : { ":internal": firstInternal }) },
      ConsistentRead: true,
    });
    for await (const { Items = [] } of pages) {
      found.push(...Items);
      const [first, last] = [found[0], found.at(-1)];
      // The journals of earlier turns follow that of the current turn.
      if (first && last && isOfEarlierTurn(last, toRun(first).turn)) break;
    }
    return found;
  }

  /**
   * Repeats a read that saw a transaction half applied: a Query can return the new status of a run without the message
   * of the same transaction. The counts of the run show it.
   */
  async function wholeItemsOf(id: string, withJournal: boolean): Promise<Item[]> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const found = await itemsOf(id, withJournal);
      const [first] = found;
      // DynamoDB deletes the items of an expired run in any order.
      if (!first || first["sk"] !== head || isExpired(first)) return [];
      const { messageCount = 0, queued = 0 } = first;
      const whole = !withJournal || (holdsAllEvents(found, toRun(first)) && hasNewestFiles(found));
      const queueWhole = !withJournal || queueIn(found).length >= Number(queued);
      if (messagesIn(found).length >= Number(messageCount) && queueWhole && whole) return found;
      if (attempt < attempts) await backOff(attempt);
    }
    throw new StoreUnavailable(`run ${id}: the transcript is being written; try again later`);
  }

  async function find(id: string, withJournal: boolean): Promise<RunState | undefined> {
    const found = await wholeItemsOf(id, withJournal);
    if (!found[0]) return undefined;
    const run = toRun(found[0]);
    const recap = summaryIn(found);
    const [transcript, journal, queue, summary, uploads, files] = await Promise.all([
      Promise.all(messagesIn(found).map(toMessage)),
      Promise.all(journalIn(found, run.turn).map((item) => readEntry(objects, item))),
      Promise.all(queueIn(found).map(toQueued)),
      recap && readText(objects, recap as StoredText),
      toFiles<FileVersion>(uploadsIn(found)),
      toFiles<ManifestFile>(filesIn(found)),
    ]);
    const covered = summary !== undefined && {
      summary: { throughTurn: Number(recap?.["throughTurn"]), text: summary },
    };
    const manifests = { ...(uploads && { uploads }), ...(files && { files }) };
    return { run, transcript, ...versionIn(messagesIn(found).at(-1)), journal, queue, ...covered, ...manifests };
  }

  async function toFiles<File extends FileVersion>(item: Item | undefined): Promise<File[] | undefined> {
    return item && (JSON.parse(await readText(objects, item as StoredText)) as File[]);
  }

  async function toQueued(item: Item): Promise<QueuedInput> {
    return { turn: Number(item["turn"]), text: await readText(objects, item as StoredText) };
  }

  async function toMessage(item: Item): Promise<TranscriptMessage> {
    return { role: item["role"] as TranscriptMessage["role"], text: await readText(objects, item as StoredText) };
  }

  return {
    async read(id) {
      const found = await find(id, false);
      return found && { run: found.run, transcript: found.transcript };
    },

    load: (id) => find(id, true),

    async head(id) {
      const item = await readItem({ documents, table }, id, head);
      return item && !isExpired(item) ? toRun(item) : undefined;
    },

    async firstInput(id, length) {
      const { sk } = messageKey(id, { turn: 1, role: "input_to_agent" });
      const item = await readItem({ documents, table }, id, String(sk));
      return item && !isExpired(item) ? await readStart(objects, item as StoredText, length) : undefined;
    },

    status: async (id) => (await readHead({ documents, table }, id))?.status as RunStatus | undefined,
  };
}

/** Status, lease and number of the last event of a run, from its head item. */
export function readHead(
  table: DynamoTable,
  runId: string,
): Promise<{ status?: unknown; leaseToken?: unknown; sequence?: unknown } | undefined> {
  return readItem(table, runId, head, {
    ProjectionExpression: "#status, leaseToken, #sequence",
    ExpressionAttributeNames: { "#status": "status", "#sequence": "sequence" },
  });
}

/** One item of a run. A Query like all reads of runs, which need one permission. */
async function readItem(
  { documents, table }: DynamoTable,
  runId: string,
  key: string,
  projection: Partial<QueryCommandInput> = {},
): Promise<Item | undefined> {
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: "pk = :pk AND sk = :sk",
      ExpressionAttributeValues: { ":pk": partition(runId), ":sk": key },
      ConsistentRead: true,
      ...projection,
    }),
  );
  return Items[0];
}

import { paginateQuery, QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import type { FileVersion, ManifestFile } from "../../agent/turn/files/manifest.ts";
import { StoreUnavailable } from "../../errors.ts";
import { isOwn } from "../../runs/control/own-run.ts";
import type { RunStatus } from "../../runs/status.ts";
import type { QueuedInput, Run, RunState, RunView, TranscriptMessage, TurnState } from "../../runs/run-types.ts";
import type { Runs } from "../../runs/ports.ts";
import type { DynamoTable } from "./sdk/clients.ts";
import { attempts, backOff } from "./dynamodb/conditional-write.ts";
import { toRun } from "./dynamodb/run-attributes.ts";
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
  starterIn,
  type RunsTable,
  filesIn,
  hasNewestFiles,
  summaryIn,
  uploadsIn,
  versionIn,
} from "./dynamodb/run-items.ts";
import { head } from "./dynamodb/table.ts";
import { readStart, readText, type StoredText } from "./dynamodb/large-text.ts";

export function awsRunReads({
  documents,
  table,
  objects,
  watches,
  readItem: readBatched,
}: RunsTable): Pick<
  Runs,
  | "read"
  | "open"
  | "transcriptBytes"
  | "output"
  | "load"
  | "loadTurn"
  | "loadShortTurn"
  | "head"
  | "firstInput"
  | "status"
> {
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
    throw beingWritten(id);
  }

  async function readView(id: string): Promise<RunView | undefined> {
    const found = await wholeItemsOf(id, false);
    return found[0] && { run: toRun(found[0]), transcript: await transcriptIn(found) };
  }

  function transcriptIn(found: Item[]): Promise<TranscriptMessage[]> {
    return Promise.all(messagesIn(found).map(toMessage));
  }

  async function turnIn(found: Item[], run: Run): Promise<TurnState> {
    const [journal, uploads, files] = await Promise.all([
      Promise.all(journalIn(found, run.turn).map((item) => readEntry(objects, item))),
      toFiles<FileVersion>(uploadsIn(found)),
      toFiles<ManifestFile>(filesIn(found)),
    ]);
    const manifests = { ...(uploads && { uploads }), ...(files && { files }) };
    return { run, ...versionIn(messagesIn(found).at(-1)), journal, ...manifests };
  }

  async function loadAll(found: Item[], run: Run): Promise<RunState> {
    const recap = summaryIn(found);
    const [turn, transcript, queue, summary] = await Promise.all([
      turnIn(found, run),
      transcriptIn(found),
      Promise.all(queueIn(found).map(toQueued)),
      recap && readText(objects, recap as StoredText),
    ]);
    const covered = summary !== undefined && {
      summary: { throughTurn: Number(recap?.["throughTurn"]), text: summary },
    };
    return { ...turn, transcript, queue, ...covered };
  }

  /** The run without its transcript. */
  async function findHead(id: string): Promise<Run | undefined> {
    const item = readBatched
      ? await readBatched({ pk: partition(id), sk: head }, true)
      : await readItem({ documents, table }, id, head);
    if (!item || isExpired(item)) return undefined;
    watches?.seen(id, item["watchedUntil"]);
    return toRun(item);
  }

  /** A message. Undefined: the run has none with this turn and role. */
  async function messageItem(id: string, message: Parameters<typeof messageKey>[1]): Promise<StoredText | undefined> {
    const item = await readItem({ documents, table }, id, String(messageKey(id, message)["sk"]));
    return item && !isExpired(item) ? (item as StoredText) : undefined;
  }

  async function toFiles<File extends FileVersion>(item: Item | undefined): Promise<File[] | undefined> {
    return item && (JSON.parse(await readText(objects, item as StoredText)) as File[]);
  }

  async function toQueued(item: Item): Promise<QueuedInput> {
    return { turn: Number(item["turn"]), text: await readText(objects, item as StoredText), ...starterIn(item) };
  }

  async function toMessage(item: Item): Promise<TranscriptMessage> {
    return { role: item["role"] as TranscriptMessage["role"], text: await readText(objects, item as StoredText) };
  }

  return {
    read: readView,

    async open(id, owner) {
      // A read of the head costs the same for every run, so it need not wait for that of the key.
      const [expected, run] = await Promise.allSettled([owner, findHead(id)]);
      if (expected.status === "rejected") throw expected.reason;
      if (run.status === "rejected") throw run.reason;
      return isOwn(run.value, expected.value) ? readView(id) : undefined;
    },

    async transcriptBytes(id) {
      const item = await readItem({ documents, table }, id, head, { ProjectionExpression: "transcriptBytes" });
      return Number(item?.["transcriptBytes"] ?? 0);
    },

    async output(run, turn) {
      // A read can see the new status of a run without the message of the same transaction.
      const isRecorded = turn > 0 && (run.status === "finished" || (run.status === "running" && turn < run.turn));
      for (let attempt = 1; ; attempt++) {
        const found = await messageItem(run.id, { turn, role: "output_from_agent" });
        if (found) return readText(objects, found);
        if (!isRecorded) return undefined;
        if (attempt === attempts) throw beingWritten(run.id);
        await backOff(attempt);
      }
    },

    async load(id) {
      const found = await wholeItemsOf(id, true);
      return found[0] && loadAll(found, toRun(found[0]));
    },

    async loadTurn(id) {
      const found = await wholeItemsOf(id, true);
      return found[0] && turnIn(found, toRun(found[0]));
    },

    async loadShortTurn(id) {
      const found = await wholeItemsOf(id, true);
      if (!found[0]) return undefined;
      const run = toRun(found[0]);
      const entries = journalIn(found, run.turn).map(async (item) =>
        "textKey" in item ? undefined : readEntry(objects, item),
      );
      return { run, journal: await Promise.all(entries) };
    },

    head: findHead,

    async firstInput(id, length) {
      const found = await messageItem(id, { turn: 1, role: "input_to_agent" });
      return found && readStart(objects, found, length);
    },

    status: async (id) => (await readHead({ documents, table }, id))?.status as RunStatus | undefined,
  };
}

function beingWritten(id: string): StoreUnavailable {
  return new StoreUnavailable(`run ${id}: the transcript is being written; try again later`);
}

/** Status, lease, mark and number of the last event of a run, from its head item. */
export function readHead(
  table: DynamoTable,
  runId: string,
): Promise<{ status?: unknown; leaseToken?: unknown; sequence?: unknown; watchedUntil?: unknown } | undefined> {
  return readItem(table, runId, head, {
    ProjectionExpression: "#status, leaseToken, #sequence, watchedUntil",
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

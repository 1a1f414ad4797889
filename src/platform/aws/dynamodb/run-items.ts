import { crc32 } from "node:zlib";
import { transcriptBytesOf } from "../../../runs/transcript-bytes.ts";
import type {
  AskingRun,
  EventStamp,
  QueuedInput,
  QuotaPlace,
  QuotaScope,
  Run,
  RunJournalEntry,
  RunPlace,
  RunningRun,
  TurnMessage,
  WaitingRun,
} from "../../../runs/run-types.ts";
import type { DynamoTable } from "../sdk/clients.ts";
import type { Objects } from "../s3/bucket.ts";
import { readText, type StoredText } from "./large-text.ts";
import { attributesOf, toRun } from "./run-attributes.ts";
import { head, shards, sortable, ttlAttribute } from "./table.ts";

/** An item of a run. `table.ts` describes the layout. */
export type Item = Record<string, unknown>;

/** `objects`: the bucket for large texts, opened at the first use. */
export interface RunsTable extends DynamoTable {
  objects: () => Promise<Objects>;
  /** How long new items are kept. Absent: for readers. */
  retentionDays?: number;
  /** Absent: nobody needs to know who watches. */
  watches?: Watches;
  /** Reads the heads of runs. Absent: each in a Query of its own. */
  readItem?: ReadItem;
}

/** Reads one item of a run. `consistent`: as of the call or later, for twice the price. */
export type ReadItem = (key: { pk: string; sk: string }, consistent: boolean) => Promise<Item | undefined>;

/** Until when somebody watches a run: an attribute of its head item, which readers of its stream write and all reads see. */
export interface Watches {
  /** `until`: the attribute as it was just read. Undefined: nobody has watched the run. */
  seen(runId: string, until: unknown): void;
}

/** First sort key that API clients do not see. */
export const firstInternal = "QUEUE#";
/** Sort key prefix of the journal. It sorts after the other items. */
export const journalPrefix = "SEQUENCE#";
/** Sort key prefix of the transcript. */
export const messagePrefix = "MESSAGE#";

// Between the queue and the journal: `load` reads them and the read of API clients does not.
const uploadsSortKey = "SAVED#UPLOADS";
const filesSortKey = "SAVED#FILES";

export function partition(runId: string): string {
  return `RUN#${runId}`;
}

export function messageKey(runId: string, { turn, role }: Pick<TurnMessage, "turn" | "role">): Item {
  return { pk: partition(runId), sk: `${messagesOfTurn(turn)}${role}` };
}

/** Sort key prefix of the messages of a turn. */
export function messagesOfTurn(turn: number): string {
  return `${messagePrefix}${digits(turn)}#`;
}

export function queueKey(runId: string, turn: QueuedInput["turn"]): Item {
  return { pk: partition(runId), sk: `${firstInternal}${digits(turn)}` };
}

export function summaryKey(runId: string): Item {
  return { pk: partition(runId), sk: "RECAP" };
}

/** Manifest of the files of the create. */
export function uploadsKey(runId: string): Item {
  return { pk: partition(runId), sk: uploadsSortKey };
}

/** Manifest of the files after the last turn that changed some. */
export function filesKey(runId: string): Item {
  return { pk: partition(runId), sk: filesSortKey };
}

/** The text of an answer in progress. It sorts after all other items, so that no other read returns it. */
export function textKey(runId: string): { pk: string; sk: string } {
  return { pk: partition(runId), sk: "TEXT" };
}

export function entryKey(runId: string, { sequence }: EventStamp): Item {
  return { pk: partition(runId), sk: journalAt(sequence) };
}

const maxSequence = 99_999_999;

/** Sort key of a journal entry. Numbers count down, so that a Query returns the current turn first. */
export function journalAt(sequence: number): string {
  return `${journalPrefix}${String(maxSequence - sequence).padStart(8, "0")}`;
}

/** The journal of a turn, in the order of recording. */
export function journalIn(items: Item[], turn: number): Item[] {
  return startingWith(items, journalPrefix)
    .filter((item) => item["turn"] === turn)
    .toReversed();
}

/** Whether the item is of the journal of an earlier turn. */
export function isOfEarlierTurn({ sk, turn: turnOfItem }: Item, turn: number): boolean {
  return String(sk).startsWith(journalPrefix) && Number(turnOfItem) < turn;
}

/** Whether the items hold all events of the run's current turn that its head counts. A Query can see half a transaction. */
export function holdsAllEvents(items: Item[], { sequence, turn }: Run): boolean {
  const inTranscript = Math.max(0, ...messagesIn(items).map((item) => Number(item["sequence"] ?? 0)));
  const later = journalIn(items, turn).filter((item) => Number(item["sequence"] ?? 0) > inTranscript);
  return later.length >= sequence - inTranscript;
}

export async function readEntry(objects: RunsTable["objects"], item: Item): Promise<RunJournalEntry> {
  const entry = JSON.parse(await readText(objects, item as StoredText)) as RunJournalEntry;
  return { ...entry, ...stampOf(item) };
}

export async function readMessage(objects: RunsTable["objects"], item: Item): Promise<TurnMessage> {
  const turn = Number(String(item["sk"]).split("#")[1]);
  const role = item["role"] as TurnMessage["role"];
  const text = await readText(objects, item as StoredText);
  return { turn, role, text, ...versionIn(item), ...starterIn(item), ...stampOf(item) };
}

/** The agent's version of an input. */
export function versionIn(message: Item | undefined): { agentVersion?: number } {
  const agentVersion = message?.["agentVersion"];
  return agentVersion === undefined ? {} : { agentVersion: Number(agentVersion) };
}

/** Who created a run, or sent an input. Empty for items of earlier versions. */
export function starterIn({ startedBy }: Item): Pick<Run, "startedBy"> {
  return startedBy === undefined ? {} : { startedBy: startedBy as NonNullable<Run["startedBy"]> };
}

function stampOf({ sequence, at }: Item): EventStamp {
  return { sequence: Number(sequence), at: Number(at) };
}

export function messagesIn(items: Item[]): Item[] {
  return startingWith(items, messagePrefix);
}

/** Queued inputs. Items of taken and dropped inputs may still exist; they are not returned. */
export function queueIn(items: Item[]): Item[] {
  const { turn = 0, queued = 0 } = (items[0] ?? {}) as Partial<Run>;
  return startingWith(items, firstInternal).filter((item) => {
    const place = Number(item["turn"]) - turn;
    return place >= 1 && place <= queued;
  });
}

export function summaryIn(items: Item[]): Item | undefined {
  return items.find(({ sk }) => sk === "RECAP");
}

export function uploadsIn(items: Item[]): Item | undefined {
  return items.find(({ sk }) => sk === uploadsSortKey);
}

export function filesIn(items: Item[]): Item | undefined {
  return items.find(({ sk }) => sk === filesSortKey);
}

/**
 * Whether the manifest that the run's item names is among its items. `filesTurn`: the last turn that changed files, 0 for
 * the create. Absent: no manifest.
 */
export function hasNewestFiles(items: Item[]): boolean {
  const filesTurn = items[0]?.["filesTurn"];
  if (filesTurn === undefined) return true;
  return filesTurn === 0 ? uploadsIn(items) !== undefined : Number(filesIn(items)?.["turn"]) >= Number(filesTurn);
}

export function startingWith(items: Item[], prefix: string): Item[] {
  return items.filter(({ sk }) => String(sk).startsWith(prefix));
}

export function toItem(run: Run, messages: TurnMessage[], hasUploads: boolean): Item {
  return {
    ...attributesOf(run),
    ...(hasUploads && { filesTurn: 0 }),
    pk: partition(run.id),
    sk: head,
    messageCount: messages.length,
    transcriptBytes: transcriptBytesOf({ messages }),
    gsi1pk: `${agentRuns(run.agentId)}#${shardOf(run.id)}`,
    gsi1sk: placeKey(run),
    ...indexKeys(run),
  };
}

/** Sort key of a run in the list of its agent, or of a trial. */
export function placeKey({ createdAt, id }: RunPlace): string {
  return `${sortable(createdAt)}#${id}`;
}

/** The place that a sort key of the list index names, as `placeKey` writes it. */
export function placeIn({ gsi1sk }: Item): RunPlace {
  const [time, id = ""] = String(gsi1sk).split("#");
  return { createdAt: Number(time), id };
}

/** The attribute of a new item that lets DynamoDB delete it after the retention time. Empty without one. */
export function expiryAfter(retentionDays: number | undefined): Item {
  if (retentionDays === undefined) return {};
  return { [ttlAttribute]: Math.ceil(Date.now() / 1_000) + retentionDays * 86_400 };
}

/** DynamoDB deletes expired items late. */
export function isExpired(item: Item): boolean {
  return Number(item[ttlAttribute] ?? Infinity) * 1_000 <= Date.now();
}

/** Partition of an agent's runs in the list index. `#<shard>` follows. */
export function agentRuns(agentId: string): string {
  return `RUNS#${agentId}`;
}
/** Partitions of all running runs, of those that wait for a slot, and for answers, in the running index. `#<shard>` follows. */
export const [running, waitingRuns, askingRuns] = ["RUNNING", "WAITING", "ASKING"];

/** Keys of the sparse running index. They carry what the index does not project. */
export function indexKeys(run: Omit<WaitingRun, "turn"> & Pick<Run, "status" | "quotaOf" | "waiting">): {
  gsi2pk?: string;
  gsi2sk?: string;
} {
  const { id, status, agentId, organizationId, quotaOf, waiting, updatedAt, pauses } = run;
  if (status !== "running") return {};
  if (waiting) {
    const gsi2sk = `${organizationId}#${sortable(updatedAt)}#${agentId}#${id}${pauses ? `#${pauses}` : ""}`;
    return { gsi2pk: `${waitingRuns}#${shardOf(organizationId)}`, gsi2sk };
  }
  const counted = quotaOf !== undefined || waiting !== undefined;
  const place = counted ? `#${quotaOf ?? ""}#${waiting === false ? "waited" : ""}#${agentId}#${organizationId}` : "";
  return startedKeys(id, place, pauses);
}

/** Keys of a running run in the running index. `place`: what it counts towards, if anything. */
export function startedKeys(id: string, place = "", pauses = 0): { gsi2pk: string; gsi2sk: string } {
  const more = pauses > 0 ? `${place === "" ? "####" : place}#${pauses}` : place;
  return { gsi2pk: `${running}#${shardOf(id)}`, gsi2sk: `${id}${more}` };
}

/** Keys of a run that waits for answers in the running index: those whose time ends first come first. */
export function askingKeys(run: Omit<AskingRun, "turn">): { gsi2pk: string; gsi2sk: string } {
  const { id, askedUntil, organizationId, agentId, pauses } = run;
  const gsi2sk = `${sortable(askedUntil)}#${organizationId}#${agentId}#${pauses}#${id}`;
  return { gsi2pk: `${askingRuns}#${shardOf(id)}`, gsi2sk };
}

export function askingIn(item: Item): AskingRun {
  const { id, turn } = toRun(item);
  const [until, organizationId = "", agentId = "", pauses] = String(item["gsi2sk"]).split("#");
  return { id, turn, askedUntil: Number(until), organizationId, agentId, pauses: Number(pauses) };
}

/** A running run as its keys and projected attributes in the running index show it. */
export function runningIn(item: Item): RunningRun & Partial<QuotaPlace> {
  const { id, turn, updatedAt } = toRun(item);
  const [, quotaOf, waited, agentId, organizationId, pauses] = String(item["gsi2sk"]).split("#");
  const run = { id, turn, updatedAt, ...(pauses !== undefined && { pauses: Number(pauses) }) };
  if (!agentId || !organizationId) return run;
  return {
    ...run,
    agentId,
    organizationId,
    ...(quotaOf && { quotaOf: quotaOf as QuotaScope }),
    ...(waited && { waiting: false }),
  };
}

export function waitingIn(item: Item): WaitingRun {
  const { id, turn, updatedAt } = toRun(item);
  const [organizationId = "", , agentId = "", , pauses] = String(item["gsi2sk"]).split("#");
  return { id, turn, updatedAt, agentId, organizationId, ...(pauses !== undefined && { pauses: Number(pauses) }) };
}

/** Shard of a partition that one partition could not hold. */
export function shardOf(id: string): number {
  return crc32(id) % shards;
}

function digits(count: number): string {
  return String(count).padStart(5, "0");
}

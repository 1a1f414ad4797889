import { crc32 } from "node:zlib";
import { type Usage, usageFields } from "../../agent/turn/limits.ts";
import type { RunStatus } from "../../runs/status.ts";
import type { QueuedInput, Run, RunJournalEntry, TurnMessage } from "../../runs/types.ts";
import type { DynamoTable } from "./clients.ts";
import type { Objects } from "./bucket.ts";
import { head, shards, sortable } from "./table.ts";

/** An item of a run. `table.ts` describes the layout. */
export type Item = Record<string, unknown>;

/** `objects`: the bucket for large texts, opened at the first use. */
export interface RunsTable extends DynamoTable {
  objects: () => Promise<Objects>;
  /** How long new items are kept. Absent: for functions that only write a status. */
  retentionDays?: number;
}

/** First sort key that API clients do not see. */
export const firstInternal = "QUEUE#";
/** Sort key prefix of the journal. Named `STEP#` in storage; its items are journal entries. */
export const journalPrefix = "STEP#";

export function partition(runId: string): string {
  return `RUN#${runId}`;
}

export function messageKey(runId: string, { turn, role }: Pick<TurnMessage, "turn" | "role">): Item {
  return { pk: partition(runId), sk: `MESSAGE#${digits(turn)}#${role}` };
}

export function queueKey(runId: string, turn: QueuedInput["turn"]): Item {
  return { pk: partition(runId), sk: `${firstInternal}${digits(turn)}` };
}

export function summaryKey(runId: string): Item {
  return { pk: partition(runId), sk: "RECAP" };
}

/** The names of parts sort in the order of a step. */
export function entryKey(runId: string, entry: RunJournalEntry): Item {
  const { turn, step, part } = entry;
  const call = "call" in entry ? `#${digits(entry.call)}` : "";
  return { pk: partition(runId), sk: `${journalOfTurn(turn)}${digits(step)}#${part}${call}` };
}

/** Sort key prefix of the journal of a turn. Turns count down, so that a Query returns the current turn first. */
export function journalOfTurn(turn: number): string {
  return `${journalPrefix}${digits(99_999 - turn)}#`;
}

export function messagesIn(items: Item[]): Item[] {
  return startingWith(items, "MESSAGE#");
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

export function startingWith(items: Item[], prefix: string): Item[] {
  return items.filter(({ sk }) => String(sk).startsWith(prefix));
}

export function toItem(run: Run, messageCount: number): Item {
  return {
    ...run,
    pk: partition(run.id),
    sk: head,
    messageCount,
    gsi1pk: `${agentRuns(run.agentId)}#${shardOf(run.id)}`,
    gsi1sk: `${sortable(run.createdAt)}#${run.id}`,
    ...runningKeys(run.id, run.status),
  };
}

export function toRun(item: Item): Run {
  const { id, agentId, organizationId, name, status, turn, createdAt, updatedAt, failure, queued } =
    item as unknown as Run;
  const run = { id, agentId, organizationId, name, status, turn, createdAt, updatedAt };
  const used = usedIn(item);
  return { ...run, ...(failure && { failure }), ...(queued ? { queued } : {}), ...(used && { used }) };
}

// Separate attributes, because DynamoDB adds to numbers without a read.
function usedIn(item: Item): Usage | undefined {
  if (usageFields.every((field) => item[`used_${field}`] === undefined)) return undefined;
  return Object.fromEntries(
    usageFields.map((field) => [field, Number(item[`used_${field}`] ?? 0)]),
  ) as unknown as Usage;
}

/** Partition of an agent's runs in the list index. `#<shard>` follows. */
export function agentRuns(agentId: string): string {
  return `RUNS#${agentId}`;
}
/** Partition of all running runs in the running index. `#<shard>` follows. */
export const running = "RUNNING";

/** Keys of the sparse running index. */
export function runningKeys(runId: string, status: RunStatus | undefined): { gsi2pk?: string; gsi2sk?: string } {
  return status === "running" ? { gsi2pk: `${running}#${shardOf(runId)}`, gsi2sk: runId } : {};
}

function shardOf(runId: string): number {
  return crc32(runId) % shards;
}

function digits(count: number): string {
  return String(count).padStart(5, "0");
}

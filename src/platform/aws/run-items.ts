import { crc32 } from "node:zlib";
import { type Usage, usageFields } from "../../agent/turn/limits.ts";
import type { RunStatus } from "../../runs/status.ts";
import type { QueuedInput, Run, RunJournalEntry, TurnMessage } from "../../runs/types.ts";
import type { DynamoTable } from "./clients.ts";
import type { Objects } from "./bucket.ts";
import { head, shards, sortable } from "./table.ts";

/** How runs, messages and step records are items; `table.ts` has the picture. */
export type Item = Record<string, unknown>;

/** `objects`: where texts too large for the table go; it is opened when the first one is met. */
export interface RunsTable extends DynamoTable {
  objects: () => Promise<Objects>;
  /** How long what is written is kept. Absent: for writers of nothing but a status. */
  retentionDays?: number;
}

/** Sorts after what a run's readers see, and before everything else. */
export const firstInternal = "QUEUE#";
/** Prefix of the step records of all turns. */
export const allSteps = "STEP#";

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

/** The parts' names sort in the order in which a step's parts are made. */
export function stepKey(runId: string, record: RunJournalEntry): Item {
  const { turn, step, part } = record;
  const call = "call" in record ? `#${digits(record.call)}` : "";
  return { pk: partition(runId), sk: `${stepsOf(turn)}${digits(step)}#${part}${call}` };
}

/** Prefix of a turn's step records. Turns count down, so that one Query meets the current turn's steps first. */
export function stepsOf(turn: number): string {
  return `${allSteps}${digits(99_999 - turn)}#`;
}

export function messagesIn(items: Item[]): Item[] {
  return startingWith(items, "MESSAGE#");
}

/** Inputs that wait. Those of a queue that was dropped may be there still. */
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

// Attributes of their own, because only those can be added to without being read.
function usedIn(item: Item): Usage | undefined {
  if (usageFields.every((field) => item[`used_${field}`] === undefined)) return undefined;
  return Object.fromEntries(
    usageFields.map((field) => [field, Number(item[`used_${field}`] ?? 0)]),
  ) as unknown as Usage;
}

/** Partition of an agent's runs in the list index, and of all running ones in the running index; `#<shard>` follows. */
export function agentRuns(agentId: string): string {
  return `RUNS#${agentId}`;
}
export const running = "RUNNING";

/** Keys of the sparse index: none unless the run is running. */
export function runningKeys(runId: string, status: RunStatus | undefined): { gsi2pk?: string; gsi2sk?: string } {
  return status === "running" ? { gsi2pk: `${running}#${shardOf(runId)}`, gsi2sk: runId } : {};
}

function shardOf(runId: string): number {
  return crc32(runId) % shards;
}

function digits(count: number): string {
  return String(count).padStart(5, "0");
}

import { crc32 } from "node:zlib";
import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { RunStatus } from "../../runs/lifecycle.ts";
import type { Run, RunChange, StepRecord, TurnMessage } from "../../runs/ports.ts";
import { head, shards, sortable } from "./table.ts";

/** How runs, messages and step records are items; `table.ts` has the picture. */
export type Item = Record<string, unknown>;
export type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

export const firstStep = "STEP#";

export function partition(runId: string): string {
  return `RUN#${runId}`;
}

export function messageKey(runId: string, { turn, role }: Pick<TurnMessage, "turn" | "role">): Item {
  return { pk: partition(runId), sk: `MESSAGE#${digits(turn)}#${role}` };
}

export function stepKey(runId: string, { turn, step, part }: Pick<StepRecord, "turn" | "step" | "part">): Item {
  return { pk: partition(runId), sk: `${stepsOf(turn)}${digits(step)}#${part}` };
}

/** Prefix of a turn's step records. Turns count down, so that one Query meets the current turn's steps first. */
export function stepsOf(turn: number): string {
  return `${firstStep}${digits(99_999 - turn)}#`;
}

export function messagesIn(items: Item[]): Item[] {
  return startingWith(items, "MESSAGE#");
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
  const { id, agentId, organizationId, name, status, turn, createdAt, updatedAt, failure } = item as unknown as Run;
  const run = { id, agentId, organizationId, name, status, turn, createdAt, updatedAt };
  return failure ? { ...run, failure } : run;
}

/** Partition of an agent's runs in the list index, and of all running ones in the running index; `#<shard>` follows. */
export function agentRuns(agentId: string): string {
  return `RUNS#${agentId}`;
}
export const running = "RUNNING";

/** The change's condition on the run and what it sets. A missing run has no status, so that the condition fails. */
export function headWrite(table: string, { runId, expect, set, messages = [] }: RunChange): Write {
  const names: Record<string, string> = { "#status": "status", "#turn": "turn" };
  const values: Item = { ":expectedStatus": expect.status, ":expectedTurn": expect.turn };
  const on = {
    TableName: table,
    Key: { pk: partition(runId), sk: head },
    ConditionExpression: "#status = :expectedStatus AND #turn = :expectedTurn",
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
  if (!set && messages.length === 0) return { ConditionCheck: on };

  const sets = ["messageCount = messageCount + :added"];
  const removes: string[] = [];
  values[":added"] = messages.length;
  const { status, turn, updatedAt, failure } = set ?? {};
  const { gsi2pk, gsi2sk } = runningKeys(runId, status);
  const fields: Item = set ? { status, turn, updatedAt, failure, gsi2pk, gsi2sk } : {};
  for (const [name, value] of Object.entries(fields)) {
    names[`#${name}`] = name;
    if (value === undefined) removes.push(`#${name}`);
    else {
      sets.push(`#${name} = :${name}`);
      values[`:${name}`] = value;
    }
  }
  const removal = removes.length > 0 ? ` REMOVE ${removes.join(", ")}` : "";
  return { Update: { ...on, UpdateExpression: `SET ${sets.join(", ")}${removal}` } };
}

/** Keys of the sparse index: none unless the run is running. */
function runningKeys(runId: string, status: RunStatus | undefined): { gsi2pk?: string; gsi2sk?: string } {
  return status === "running" ? { gsi2pk: `${running}#${shardOf(runId)}`, gsi2sk: runId } : {};
}

function shardOf(runId: string): number {
  return crc32(runId) % shards;
}

function digits(count: number): string {
  return String(count).padStart(5, "0");
}

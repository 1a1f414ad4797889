import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { endsTurn } from "../../../runs/deliveries.ts";
import { dayOf, maxWaiting } from "../../../runs/quotas.ts";
import type { QuotaPlace, RunChange, Slot } from "../../../runs/run-types.ts";
import { type Item, shardOf } from "./run-items.ts";
import { head, ttlAttribute } from "./table.ts";

type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** Prefix of the partitions of counts, also in the running index. */
export const counts = "COUNT";

/** Sort key of the dollars of a day. `#<shard>` follows: concurrent runs rarely write to the same item. */
export function dayKey(day: string): string {
  return `DAY#${day}`;
}

/** Days that spent dollars are kept. */
const keptDays = 3;

export function countKey(ownerId: string): { pk: string; sk: string } {
  return { pk: `${counts}#${ownerId}`, sk: head };
}

/** The writes to counts that belong to the create of a run with `slot`, in one transaction. */
export function slotWrites(table: string, slot: Slot, hasWaited = false): Write[] {
  const { agentId, organizationId, quotas, blockedBy } = slot;
  if (!quotas) return hasWaited ? [countWrite(table, agentId, { waiting: -1 })] : [];
  const { agent, organization, scope } = quotas;
  if (blockedBy === undefined) {
    const free = isBelow("running", agent.maxRunning);
    const noneWaits = hasWaited ? undefined : isBelow("waiting", 1);
    return [
      countWrite(table, agentId, { running: 1, waiting: hasWaited ? -1 : 0 }, free, noneWaits),
      ...(scope === "organization"
        ? [countWrite(table, organizationId, { running: 1 }, isBelow("running", organization.maxRunning))]
        : []),
    ];
  }
  const place = isBelow("waiting", maxWaiting);
  if (blockedBy === "agent") {
    const full = agent.maxRunning === undefined ? "" : "running >= :maxRunning OR ";
    const blocked = { text: `(${full}waiting > :none)`, values: { ":maxRunning": agent.maxRunning, ":none": 0 } };
    return [countWrite(table, agentId, { waiting: 1 }, place, blocked)];
  }
  const full = {
    TableName: table,
    Key: countKey(organizationId),
    ConditionExpression: "running >= :maxRunning",
    ExpressionAttributeValues: { ":maxRunning": organization.maxRunning },
  };
  return [countWrite(table, agentId, { waiting: 1 }, place), { ConditionCheck: full }];
}

/** The writes to counts that belong to a change. `place`: what the run counts towards. */
export function countWrites(table: string, change: RunChange, place: QuotaPlace | undefined): Write[] {
  const { slot, used, expect } = change;
  if (slot) return slotWrites(table, slot, expect.waiting);
  if (place?.quotaOf === undefined) return [];
  const { agentId, organizationId, quotaOf, waiting } = place;
  const owners = quotaOf === "organization" ? [agentId, organizationId] : [agentId];
  const writes: Write[] = [];
  if (leavesSlot(change)) {
    if (waiting) writes.push(countWrite(table, agentId, { waiting: -1 }));
    else for (const owner of owners) writes.push(countWrite(table, owner, { running: -1 }));
  }
  const { dollars = 0 } = used ?? {};
  if (dollars > 0) for (const owner of owners) writes.push(dollarsWrite(table, owner, change));
  return writes;
}

/** Whether the change depends on what the run counts towards. */
export function dependsOnPlace(change: RunChange): boolean {
  return leavesSlot(change) || (change.used?.dollars ?? 0) > 0;
}

function leavesSlot({ expect, set }: RunChange): boolean {
  return expect.status === "running" && set !== undefined && (set.status !== "running" || set.asks !== undefined);
}

export type Count = "running" | "waiting";

/** Attribute with the time of the last change of a count, in milliseconds since 1970. */
export function changedAt(count: Count): string {
  return `${count}ChangedAt`;
}

interface Condition {
  text: string;
  values: Item;
}

/** Undefined: the limit is. */
function isBelow(count: Count, limit: number | undefined): Condition | undefined {
  if (limit === undefined) return undefined;
  const name = `:${count}Limit`;
  return { text: `(attribute_not_exists(${count}) OR ${count} < ${name})`, values: { [name]: limit } };
}

function countWrite(
  table: string,
  ownerId: string,
  { running = 0, waiting = 0 }: { running?: number; waiting?: number },
  ...conditions: (Condition | undefined)[]
): Write {
  const given = conditions.filter((condition) => condition !== undefined);
  const changed = Object.entries({ running, waiting }).filter(([, change]) => change !== 0);
  const times = changed.map(([count]) => `, ${changedAt(count as Count)} = :now`).join("");
  return {
    Update: {
      TableName: table,
      Key: countKey(ownerId),
      ...(given.length > 0 && { ConditionExpression: given.map(({ text }) => text).join(" AND ") }),
      UpdateExpression: `SET id = :id, gsi2pk = :list, gsi2sk = :id${times} ADD running :running, waiting :waiting`,
      ExpressionAttributeValues: {
        ":id": ownerId,
        ":list": `${counts}#${shardOf(ownerId)}`,
        ":now": Date.now(),
        ":running": running,
        ":waiting": waiting,
        ...Object.assign({}, ...given.map(({ values }) => values)),
      },
    },
  };
}

function dollarsWrite(table: string, ownerId: string, change: RunChange): Write {
  const { runId, used } = change;
  const now = Date.now();
  return {
    Update: {
      TableName: table,
      Key: { pk: countKey(ownerId).pk, sk: `${dayKey(dayOf(now))}#${shardOf(runId)}` },
      UpdateExpression: `SET ${ttlAttribute} = :expiry ADD dollars :dollars, turns :turns`,
      ExpressionAttributeValues: {
        ":expiry": Math.ceil(now / 1_000) + keptDays * 86_400,
        ":dollars": used?.dollars ?? 0,
        ":turns": endsTurn(change) ? 1 : 0,
      },
    },
  };
}

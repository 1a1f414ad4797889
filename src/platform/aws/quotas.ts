import { paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { dayOf } from "../../runs/quotas.ts";
import type { Runs } from "../../runs/ports.ts";
import type { AskingRun, QuotaUse, WaitingRun } from "../../runs/run-types.ts";
import type { DynamoTable } from "./sdk/clients.ts";
import { sendConditional } from "./dynamodb/conditional-write.ts";
import { fromShards } from "./dynamodb/index-shards.ts";
import { changedAt, type Count, countKey, counts, dayKey } from "./dynamodb/quota-items.ts";
import {
  askingIn,
  askingRuns,
  type Item,
  running,
  runningIn,
  shardOf,
  waitingIn,
  waitingRuns,
} from "./dynamodb/run-items.ts";
import { head, runningIndex, sortable } from "./dynamodb/table.ts";

/**
 * A count is only compared with the runs if it has not changed for this long, in milliseconds: the index lags behind. A
 * count that changes more often than that is right, because it changes in one transaction with its runs; only damage
 * from outside, such as a run that expired or was deleted by hand, needs a correction. Each count has its own time: creates
 * that wait do not keep a wrong number of running runs, for which they wait, from being corrected.
 */
const settledAfter = 60_000;

const countNames: Count[] = ["running", "waiting"];

const inIndex = { IndexName: runningIndex.name, KeyConditionExpression: "gsi2pk = :pk" };

/** Counts of running and waiting runs, and of dollars, by agent and organization. */
export function awsQuotas(
  dynamo: DynamoTable,
): Pick<Runs, "listRunning" | "listWaiting" | "listAsking" | "quotaUse" | "recount"> {
  const { documents, table } = dynamo;

  async function query(expression: string, values: Item, index?: string): Promise<Item[]> {
    const found: Item[] = [];
    const pages = paginateQuery(
      { client: documents },
      {
        TableName: table,
        ...(index === undefined ? { ConsistentRead: true } : { IndexName: index }),
        KeyConditionExpression: expression,
        ExpressionAttributeValues: values,
      },
    );
    for await (const { Items = [] } of pages) found.push(...Items);
    return found;
  }

  /** The dollars of two days and the counts are neighbors. */
  async function useOf(ownerId: string): Promise<QuotaUse & { times: Record<Count, number> }> {
    const now = Date.now();
    const today = `${dayKey(dayOf(now))}#`;
    const values = { ":pk": countKey(ownerId).pk, ":yesterday": `${dayKey(dayOf(now - 86_400_000))}#` };
    const items = await query("pk = :pk AND sk >= :yesterday", values);
    const counted = items.find(({ sk }) => sk === head) ?? {};
    const turns = sum("turns", items);
    return {
      running: Math.max(0, Number(counted["running"] ?? 0)),
      waiting: Math.max(0, Number(counted["waiting"] ?? 0)),
      dollars: sum(
        "dollars",
        items.filter(({ sk }) => String(sk).startsWith(today)),
      ),
      ...(turns > 0 && { turnDollars: sum("dollars", items) / turns }),
      times: {
        running: Number(counted[changedAt("running")] ?? 0),
        waiting: Number(counted[changedAt("waiting")] ?? 0),
      },
    };
  }

  async function listWaiting(organizationId?: string): Promise<WaitingRun[]> {
    const values = { ":pk": `${waitingRuns}#${shardOf(organizationId ?? "")}`, ":of": `${organizationId}#` };
    const found =
      organizationId === undefined
        ? await fromShards(dynamo, waitingRuns, inIndex)
        : await query("gsi2pk = :pk AND begins_with(gsi2sk, :of)", values, runningIndex.name);
    return found.map(waitingIn).toSorted((a, b) => a.updatedAt - b.updatedAt);
  }

  /** A run's time has ended if its sort key is before the next millisecond. */
  async function listAsking({ organizationId, until }: { organizationId?: string; until?: number } = {}) {
    const range =
      until === undefined ? inIndex : { ...inIndex, KeyConditionExpression: "gsi2pk = :pk AND gsi2sk < :end" };
    const values = until === undefined ? {} : { ":end": sortable(until + 1) };
    const found: AskingRun[] = (await fromShards(dynamo, askingRuns, range, values)).map(askingIn);
    return found
      .filter((run) => organizationId === undefined || run.organizationId === organizationId)
      .toSorted((a, b) => a.askedUntil - b.askedUntil);
  }

  const listRunning = async () => (await fromShards(dynamo, running, inIndex)).map(runningIn);

  return {
    listWaiting,

    listAsking,

    listRunning,

    async quotaUse({ agentId, organizationId }) {
      const [agent, organization] = await Promise.all([useOf(agentId), useOf(organizationId)]);
      return { agent, organization };
    },

    async recount() {
      const owners = (await fromShards(dynamo, counts, inIndex)).map(({ id }) => String(id));
      if (owners.length === 0) return 0;
      const before = new Map(await Promise.all(owners.map(async (id) => [id, await useOf(id)] as const)));
      const [runningRuns, waiting] = await Promise.all([listRunning(), listWaiting()]);
      const found = new Map(owners.map((id) => [id, { running: 0, waiting: 0 }]));
      const add = (id: string | undefined, count: Count): void => {
        const counted = found.get(id ?? "");
        if (counted) counted[count]++;
      };
      for (const { agentId, organizationId, quotaOf } of runningRuns) {
        if (quotaOf) add(agentId, "running");
        if (quotaOf === "organization") add(organizationId, "running");
      }
      for (const { agentId } of waiting) add(agentId, "waiting");
      const settled = Date.now() - settledAfter;
      const corrections = owners.flatMap((id) =>
        countNames.map(async (count) => {
          const [stored, actual] = [before.get(id), found.get(id)?.[count] ?? 0];
          if (!stored || stored.times[count] > settled || stored[count] === actual) return false;
          return correct(id, count, { changed: stored.times[count], actual });
        }),
      );
      return (await Promise.all(corrections)).filter(Boolean).length;
    },
  };

  /** Sets a count, unless it has changed since it was read. `changed`: its time then, 0 for none. */
  async function correct(
    ownerId: string,
    count: Count,
    { changed, actual }: { changed: number; actual: number },
  ): Promise<boolean> {
    const time = changedAt(count);
    const never = changed === 0 ? `attribute_not_exists(${time}) OR ` : "";
    const command = new UpdateCommand({
      TableName: table,
      Key: countKey(ownerId),
      ConditionExpression: `${never}${time} = :before`,
      UpdateExpression: `SET ${count} = :actual, ${time} = :now`,
      ExpressionAttributeValues: { ":before": changed, ":actual": actual, ":now": Date.now() },
    });
    return (await sendConditional(() => documents.send(command))) !== undefined;
  }
}

function sum(field: "dollars" | "turns", items: Item[]): number {
  return items.reduce((total, { [field]: value = 0 }) => total + Number(value), 0);
}

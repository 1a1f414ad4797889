import type { CancellationReason } from "@aws-sdk/client-dynamodb";
import { isReported } from "../../../runs/deliveries.ts";
import { storedBytesOf } from "../../../runs/files/stored-bytes.ts";
import type { QuotaScope, RunChange, RunFacts } from "../../../runs/run-types.ts";
import { dependsOnPlace } from "./quota-items.ts";
import type { Item } from "./run-items.ts";

/**
 * Attempts of a write that depends on facts: a run takes a slot once and waits once, so what it counts towards changes at
 * most twice during the write. Its webhook never changes.
 */
export const maxAttempts = 3;

/** Whether the writes of the change depend on facts, so that a condition has to check them. */
export function dependsOnFacts(change: RunChange): boolean {
  return dependsOnPlace(change) || isReported(change) || storedBytesOf(change) !== 0;
}

/** The facts of a head item that failed a condition, in DynamoDB's JSON. Undefined: the run does not exist. */
export function factsIn(item: CancellationReason["Item"]): RunFacts | undefined {
  const { agentId, organizationId, quotaOf, waiting, pauses, webhook, createdAt } = item ?? {};
  if (agentId?.S === undefined || organizationId?.S === undefined) return undefined;
  return {
    agentId: agentId.S,
    organizationId: organizationId.S,
    ...(quotaOf?.S !== undefined && { quotaOf: quotaOf.S as QuotaScope }),
    ...(waiting?.BOOL !== undefined && { waiting: waiting.BOOL }),
    ...(pauses?.N !== undefined && { pauses: Number(pauses.N) }),
    ...(webhook?.S !== undefined && { webhook: webhook.S }),
    ...(createdAt?.N !== undefined && { createdAt: Number(createdAt.N) }),
  };
}

/** The time of creation never changes, but a caller may not know it. */
export function areSameFacts(change: RunChange, a: RunFacts, b: RunFacts | undefined): boolean {
  if (storedBytesOf(change) !== 0 && b?.createdAt === undefined) return false;
  if (change.set?.asks && !b) return false;
  return a.quotaOf === b?.quotaOf && (a.waiting ?? false) === (b?.waiting ?? false) && a.webhook === b?.webhook;
}

/** The conditions that the facts are those of the run, as far as the change depends on them. */
export function factConditions(change: RunChange, facts: RunFacts | undefined): { conditions: string[]; values: Item } {
  const conditions: string[] = [];
  const values: Item = {};
  const { quotaOf, waiting = false, webhook } = facts ?? {};
  if (dependsOnPlace(change)) {
    if (quotaOf === undefined) conditions.push("attribute_not_exists(quotaOf)");
    else {
      values[":expectedQuotaOf"] = quotaOf;
      values[":placeWaiting"] = waiting;
      const started = waiting ? "" : "attribute_not_exists(waiting) OR ";
      conditions.push(`quotaOf = :expectedQuotaOf AND (${started}waiting = :placeWaiting)`);
    }
  }
  if (isReported(change)) {
    if (webhook === undefined) conditions.push("attribute_not_exists(webhook)");
    else {
      values[":expectedWebhook"] = webhook;
      conditions.push("webhook = :expectedWebhook");
    }
  }
  // False for every run: what the files count towards is unknown, or whose run it is in the list of those that wait.
  const isUnknown = storedBytesOf(change) !== 0 ? facts?.createdAt === undefined : change.set?.asks && !facts;
  if (isUnknown) conditions.push("attribute_not_exists(agentId)");
  return { conditions, values };
}

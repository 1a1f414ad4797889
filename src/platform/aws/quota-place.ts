import type { CancellationReason } from "@aws-sdk/client-dynamodb";
import type { QuotaPlace, QuotaScope, Run, RunChange, Slot } from "../../runs/types.ts";
import { indexKeys, type Item, startedKeys } from "./run-items.ts";

/** A run takes a slot once and waits once, so what it counts towards changes at most twice during a write. */
export const maxPlaces = 3;

/** What a head item that failed a condition counts towards, in DynamoDB's JSON. Undefined: the run does not exist. */
export function placeIn(item: CancellationReason["Item"]): QuotaPlace | undefined {
  const { agentId, organizationId, quotaOf, waiting } = item ?? {};
  if (agentId?.S === undefined || organizationId?.S === undefined) return undefined;
  return {
    agentId: agentId.S,
    organizationId: organizationId.S,
    ...(quotaOf?.S !== undefined && { quotaOf: quotaOf.S as QuotaScope }),
    ...(waiting?.BOOL !== undefined && { waiting: waiting.BOOL }),
  };
}

export function isSamePlace(a: QuotaPlace, b: QuotaPlace | undefined): boolean {
  return a.quotaOf === b?.quotaOf && (a.waiting ?? false) === (b?.waiting ?? false);
}

/** The attributes of a run that takes a slot. */
export function placeOf(slot: Slot | undefined, hasWaited: boolean): Pick<Run, "quotaOf" | "waiting"> {
  const waiting = slot?.blockedBy === undefined ? (hasWaited ? false : undefined) : true;
  return {
    ...(slot?.quotas && { quotaOf: slot.quotas.scope }),
    ...(waiting !== undefined && { waiting }),
  };
}

/**
 * The attributes of a changed status that concern quotas and the running index. Undefined ones are removed. The next turn
 * of a running run keeps its slot, and has not waited for it.
 */
export function placeFields({ runId, expect, set, slot }: RunChange, before: QuotaPlace | undefined): Item {
  if (!set) return {};
  const { status, updatedAt } = set;
  const none = { gsi2pk: undefined, gsi2sk: undefined, quotaOf: undefined, waiting: undefined };
  if (status !== "running") return none;
  if (!slot && expect.status !== "running") return { ...none, ...startedKeys(runId) };
  if (!slot) {
    if (before?.waiting !== false || set.turn === expect.turn) return {};
    const { waiting: _waiting, ...kept } = before;
    return { waiting: undefined, ...indexKeys({ ...kept, id: runId, status, updatedAt }) };
  }
  const { agentId, organizationId } = slot;
  const place = placeOf(slot, expect.waiting === true);
  return { ...none, ...place, ...indexKeys({ id: runId, agentId, organizationId, status, updatedAt, ...place }) };
}

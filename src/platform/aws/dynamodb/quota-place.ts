import { placeOf } from "../../../runs/quotas.ts";
import type { QuotaPlace, RunChange } from "../../../runs/run-types.ts";
import { askingKeys, indexKeys, type Item, startedKeys } from "./run-items.ts";

/**
 * The attributes of a changed status that concern quotas and the running index. Undefined ones are removed. The next turn
 * of a running run keeps its slot, and has not waited for it.
 */
export function placeFields({ runId, expect, set, slot }: RunChange, before: QuotaPlace | undefined): Item {
  if (!set) return {};
  const { status, updatedAt } = set;
  const none = { gsi2pk: undefined, gsi2sk: undefined, quotaOf: undefined, waiting: undefined };
  if (status !== "running") return none;
  if (set.asks) return before ? { ...none, ...askingKeys({ ...before, ...set.asks, id: runId }) } : none;
  const { pauses = expect.pauses } = set;
  if (!slot && (expect.status !== "running" || expect.asks)) return { ...none, ...startedKeys(runId, "", pauses) };
  if (!slot) {
    if (before?.waiting !== false || set.turn === expect.turn) return {};
    const { waiting: _waiting, ...kept } = before;
    return { waiting: undefined, ...indexKeys({ ...kept, id: runId, status, updatedAt }) };
  }
  const { agentId, organizationId } = slot;
  const place = placeOf(slot, expect.waiting === true);
  const run = {
    id: runId,
    agentId,
    organizationId,
    status,
    updatedAt,
    ...place,
    ...(pauses !== undefined && { pauses }),
  };
  return { ...none, ...place, ...indexKeys(run) };
}

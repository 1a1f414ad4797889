import type { Quota } from "../accounts/types.ts";
import type { QuotaScope, Quotas, QuotaUse, Slot } from "./types.ts";

/** Runs of an agent that may wait for a slot. Further creates are rejected. */
export const maxWaiting = 1_000;

/** The quotas that an agent's turns count towards. Undefined: none, and nothing is counted. */
export function quotasOf(agent: Quota | undefined, organization: Quota | undefined): Quotas | undefined {
  const quotas = { agent: agent ?? {}, organization: organization ?? {} };
  if (isSet(organization)) return { scope: "organization", ...quotas };
  return isSet(agent) ? { scope: "agent", ...quotas } : undefined;
}

function isSet(quota: Quota | undefined): boolean {
  return quota?.maxRunning !== undefined || quota?.maxDollarsPerDay !== undefined;
}

/** The quota whose `maxRunning` is used up, the agent's first. */
export function usedUp(quotas: Quotas, use: Record<QuotaScope, QuotaUse>): QuotaScope | undefined {
  return scopes(quotas).find((scope) => use[scope].running >= (quotas[scope].maxRunning ?? Infinity));
}

/** The quota whose dollars of today are spent, the agent's first. */
export function spent(quotas: Quotas, use: Record<QuotaScope, QuotaUse>): QuotaScope | undefined {
  return scopes(quotas).find((scope) => use[scope].dollars >= (quotas[scope].maxDollarsPerDay ?? Infinity));
}

/** Whether a turn gets its slot: see `Slot`. `hasWaited`: the turn waits now and is to start. */
export function admits({ quotas, blockedBy }: Slot, use: Record<QuotaScope, QuotaUse>, hasWaited: boolean): boolean {
  if (!quotas) return true;
  const { waiting } = use.agent;
  const full = usedUp(quotas, use);
  if (blockedBy === undefined) return full === undefined && (hasWaited || waiting === 0);
  if (waiting >= maxWaiting) return false;
  const isFull = use[blockedBy].running >= (quotas[blockedBy].maxRunning ?? Infinity);
  return isFull || (blockedBy === "agent" && waiting > 0);
}

function scopes({ scope }: Quotas): QuotaScope[] {
  return scope === "organization" ? ["agent", "organization"] : ["agent"];
}

/** The day of a time, in UTC, such as `2026-11-22`. */
export function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

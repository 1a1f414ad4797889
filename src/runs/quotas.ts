import { fallbackOf, type ModelChoice, runModelOf } from "../accounts/agents/model-choice.ts";
import type { AgentDefinition, Quota } from "../accounts/account-types.ts";
import { defaultContextTokens } from "../agent/turn/history/context-window.ts";
import { maxStepDollars } from "../agent/turn/turn-limits.ts";
import type { QuotaScope, Quotas, QuotaUse, Run, Slot } from "./run-types.ts";

/** Runs of an agent that may wait for a slot. Further creates are rejected. */
export const maxWaiting = 1_000;

/** What the quotas of an agent depend on. */
type QuotaAgent = Quota & Pick<AgentDefinition, "prices" | "contextTokens" | "parameters" | "fallback" | "runModels">;

/** The quotas that an agent's turns count towards. Undefined: none, and nothing is counted. */
export function quotasOf(agent: QuotaAgent | undefined, organization: Quota | undefined): Quotas | undefined {
  const models = agent
    ? [agent, fallbackOf(agent), ...(agent.runModels ?? []).map(({ name }) => runModelOf(agent, name))]
    : [];
  const costs = models.flatMap((model) => (model ? (stepDollarsOf(model) ?? []) : []));
  const stepDollars = costs.length > 0 ? Math.max(...costs) : undefined;
  const quotas = {
    agent: agent ?? {},
    organization: organization ?? {},
    ...(stepDollars !== undefined && { stepDollars }),
  };
  if (isSet(organization)) return { scope: "organization", ...quotas };
  return isSet(agent) ? { scope: "agent", ...quotas } : undefined;
}

/** What one model call can cost. Undefined: it has no prices. */
function stepDollarsOf({ prices, contextTokens = defaultContextTokens, parameters }: ModelChoice): number | undefined {
  return prices && maxStepDollars(prices, contextTokens, parameters?.maxOutputTokens);
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

/**
 * The quotas with `maxRunning` lowered to what the rest of the day's dollars allows. Each turn in progress reserves what a turn
 * costs: the mean of those that ended today or yesterday, at least one model call at its most expensive. So nothing is
 * reserved that a killed process could leave behind, and one turn at a time can always start.
 */
export function withReservations(quotas: Quotas, use: Record<QuotaScope, QuotaUse>): Quotas {
  const { agent, organization, stepDollars = 0 } = quotas;
  const lowered = (quota: Quota, { dollars, turnDollars = 0 }: QuotaUse): Quota => {
    const { maxRunning = Infinity, maxDollarsPerDay } = quota;
    const reserved = Math.max(turnDollars, stepDollars);
    if (maxDollarsPerDay === undefined || reserved === 0) return quota;
    const left = Math.ceil(Math.max(0, maxDollarsPerDay - dollars) / reserved);
    return { ...quota, maxRunning: Math.min(maxRunning, Math.max(1, left)) };
  };
  return { ...quotas, agent: lowered(agent, use.agent), organization: lowered(organization, use.organization) };
}

/** Whether a turn gets its slot: see `Slot`. `hasWaited`: the turn waits now and is to start. */
export function admits(slot: Slot, use: Record<QuotaScope, QuotaUse>, hasWaited: boolean): boolean {
  if (!slot.quotas) return true;
  const { blockedBy } = slot;
  const quotas = withReservations(slot.quotas, use);
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

/** What is recorded of a run that takes a slot. */
export function placeOf(slot: Slot | undefined, hasWaited: boolean): Pick<Run, "quotaOf" | "waiting"> {
  const waiting = slot?.blockedBy === undefined ? (hasWaited ? false : undefined) : true;
  return {
    ...(slot?.quotas && { quotaOf: slot.quotas.scope }),
    ...(waiting !== undefined && { waiting }),
  };
}

import type { Accounts, Agent, Organization } from "../accounts/account-types.ts";
import { log } from "../log.ts";
import { ServiceError } from "../errors.ts";
import type { CreateExtras, Runs, Workflow } from "./ports.ts";
import { maxWaiting, quotasOf, spent, usedUp, withReservations } from "./quotas.ts";
import { transitions } from "./status.ts";
import type {
  KeptCreate,
  QuotaScope,
  Quotas,
  QuotaUse,
  Run,
  RunChange,
  Slot,
  Stamped,
  TurnMessage,
  WaitingRun,
} from "./run-types.ts";

/** What starts waiting runs. */
export interface AdmissionDeps {
  runs: Runs;
  accounts: Pick<Accounts, "findAgent" | "findOrganization">;
  workflow: Workflow;
  now: () => number;
}

type Owner = Pick<Run, "agentId" | "organizationId">;

/** Each attempt fails only if another turn took or freed a slot in between. */
export const slotAttempts = 5;

/** Milliseconds after which a request or an ended turn leaves further waiting runs to the sweep. */
const startLimit = 10_000;

/** Seconds after which a create is worth repeating: the queue of waiting runs is full, or many writers compete. */
const [fullSeconds, busySeconds] = [30, 1];

/** Rejects with 429 if the dollars of today are spent. Resolves with what counts towards the quotas. */
export async function requireDollars(
  { runs, now }: Pick<AdmissionDeps, "runs" | "now">,
  owner: Owner,
  quotas: Quotas,
): Promise<Record<QuotaScope, QuotaUse>> {
  const use = await runs.quotaUse(owner);
  const scope = spent(quotas, use);
  if (scope === undefined) return use;
  throw new ServiceError(
    "dollars_spent",
    `the ${scope} has reached its limit of ${quotas[scope].maxDollarsPerDay} US dollars per day (maxDollarsPerDay); ` +
      "new inputs are accepted from midnight UTC",
    { retryAfterSeconds: secondsToMidnight(now()) },
  );
}

/**
 * The slot for a turn that is to become `running`; `blockedBy` is set if it has to wait. Rejects with 429 if too many runs
 * wait or the dollars are spent. `stalled`: slots are free, but older runs wait, so whatever was to start them failed.
 */
async function requestSlot(
  deps: Pick<AdmissionDeps, "runs" | "now">,
  owner: Owner,
  given: Quotas,
): Promise<{ slot: Slot; stalled: boolean }> {
  const use = await requireDollars(deps, owner, given);
  const quotas = withReservations(given, use);
  const full = usedUp(quotas, use);
  const blockedBy = full ?? (use.agent.waiting > 0 ? "agent" : undefined);
  if (blockedBy && use.agent.waiting >= maxWaiting) throw queueFull(given, full ?? "agent");
  const { agentId, organizationId } = owner;
  const slot: Slot = { agentId, organizationId, quotas, ...(blockedBy && { blockedBy }) };
  return { slot, stalled: blockedBy !== undefined && full === undefined };
}

/**
 * Stores a new run with a slot or waiting for one. Resolves with whether it waits, or with the earlier create of its
 * idempotency key. Rejects with 429 as `requestSlot`.
 */
export async function createWithSlot(
  deps: AdmissionDeps,
  run: Run,
  { messages, ...more }: Omit<CreateExtras, "slot"> & { messages: Stamped<TurnMessage>[] },
  quotas: Quotas,
): Promise<{ waiting: boolean } | { replayed: KeptCreate }> {
  for (let attempt = 1; attempt <= slotAttempts; attempt++) {
    const { slot, stalled } = await requestSlot(deps, run, quotas);
    const outcome = await deps.runs.create(run, messages, { slot, ...more });
    if (outcome === "no_slot") continue;
    if (outcome !== "created") return outcome;
    if (stalled) await tryStartWaiting(deps, run.organizationId);
    return { waiting: slot.blockedBy !== undefined };
  }
  throw manyStarts();
}

/** The agent of a run, and the quotas that its next turn counts towards. Undefined quotas: none. */
export async function findQuotas(
  accounts: AdmissionDeps["accounts"],
  { agentId, organizationId }: Owner,
): Promise<{ agent: Agent | undefined; quotas: Quotas | undefined }> {
  const [agent, organization] = await Promise.all([
    accounts.findAgent(agentId),
    accounts.findOrganization(organizationId),
  ]);
  return { agent, quotas: quotasOf(agent, organization) };
}

/**
 * Applies a change that lets a turn of a stored run work, with a slot if there are quotas. The caller starts the turn unless it
 * is `waiting`. `no_slot` and `lost`: rejected; with a slot, because of the slot or of the run.
 */
export async function changeWithSlot(
  deps: AdmissionDeps,
  owner: Owner,
  quotas: Quotas | undefined,
  change: RunChange,
): Promise<{ waiting: boolean } | "no_slot" | "lost"> {
  const { slot, stalled } = quotas ? await requestSlot(deps, owner, quotas) : {};
  if (!(await deps.runs.change({ ...change, ...(slot && { slot }) }))) return slot ? "no_slot" : "lost";
  if (stalled) await tryStartWaiting(deps, owner.organizationId);
  return { waiting: slot?.blockedBy !== undefined };
}

/** 429 after `slotAttempts`. */
export function manyStarts(): ServiceError {
  return new ServiceError(
    "too_many_runs",
    "too many runs of the agent or its organization start at the same time; retry later",
    { retryAfterSeconds: busySeconds },
  );
}

/** `errors`: of runs that could not be started. They do not stop the others. */
interface Started {
  started: number;
  errors: unknown[];
}

/** As `startWaiting`, for 10 s. Errors are logged: the sweep or the runner repeats the attempt. Resolves with the number. */
export async function tryStartWaiting(deps: AdmissionDeps, organizationId: string): Promise<number> {
  return (await startLogged(deps, organizationId, deps.now() + startLimit)).started;
}

/**
 * Starts the waiting runs of an organization that get a slot, oldest first by agent. Those that are not reached by `until`
 * (milliseconds since 1970) continue to wait.
 * The sweep and the runner start a turn that has its slot, but whose workflow could not be started.
 */
export async function startWaiting(deps: AdmissionDeps, organizationId: string, until = Infinity): Promise<Started> {
  const { runs, accounts, workflow, now } = deps;
  const result: Started = { started: 0, errors: [] };
  const waiting = await runs.listWaiting(organizationId);
  if (waiting.length === 0) return result;
  const organization = await accounts.findOrganization(organizationId);
  const blocked = new Set<string>();
  for (const run of waiting) {
    if (now() >= until) break;
    if (blocked.has(run.agentId)) continue;
    // After an error, the run may still wait: no younger run of its agent starts first.
    const outcome = await takeSlot(deps, run, organization).catch((error: unknown) => {
      result.errors.push(error);
      return "agent" as const;
    });
    if (outcome === "organization") break;
    if (outcome === "agent") blocked.add(run.agentId);
    if (outcome !== "taken") continue;
    await workflow.start(run.id, run.turn, run).then(
      () => result.started++,
      (error: unknown) => result.errors.push(error),
    );
  }
  return result;
}

/**
 * Starts the waiting runs of all organizations until `until` (milliseconds since 1970). `waiting`: those that were not
 * started. An error of one organization does not stop the others.
 */
export async function startAllWaiting(deps: AdmissionDeps, until = Infinity): Promise<Started & { waiting: number }> {
  const waiting = await deps.runs.listWaiting();
  const all: Started = { started: 0, errors: [] };
  for (const organizationId of new Set(waiting.map((run) => run.organizationId))) {
    if (deps.now() >= until) break;
    const { started, errors } = await startLogged(deps, organizationId, until);
    all.started += started;
    all.errors.push(...errors);
  }
  return { ...all, waiting: waiting.length - all.started };
}

async function startLogged(deps: AdmissionDeps, organizationId: string, until: number): Promise<Started> {
  const result = await startWaiting(deps, organizationId, until).catch((error: unknown): Started => ({
    started: 0,
    errors: [error],
  }));
  const [error] = result.errors;
  if (error !== undefined) {
    const errors = result.errors.length;
    const message = "waiting runs could not be started; the next attempt follows within two minutes";
    log("error", message, { organizationId, errors, error });
  }
  return result;
}

/**
 * Gives a waiting run its slot. Otherwise: the quota that blocks its agent's runs, or `lost` if the run was stopped or
 * started by another process, or others took the slot.
 */
async function takeSlot(
  { runs, accounts, now }: AdmissionDeps,
  { id: runId, turn, agentId, organizationId, pauses = 0 }: WaitingRun,
  organization: Organization | undefined,
): Promise<QuotaScope | "taken" | "lost"> {
  const owner = { agentId, organizationId };
  const given = quotasOf(await accounts.findAgent(agentId), organization);
  const use = given && (await runs.quotaUse(owner));
  const quotas = use && withReservations(given, use);
  const blockedBy = quotas && (usedUp(quotas, use) ?? spent(quotas, use));
  if (blockedBy) return blockedBy;
  const { to: status } = transitions.inputAccepted; // also while it waits
  const change: RunChange = {
    runId,
    expect: { status, turn, waiting: true, ...(pauses > 0 && { pauses }) },
    set: { status, turn, updatedAt: now() },
    slot: { ...owner, ...(quotas && { quotas }) },
  };
  return (await runs.change(change)) ? "taken" : "lost";
}

function queueFull(quotas: Quotas, scope: QuotaScope): ServiceError {
  const { maxRunning, maxDollarsPerDay } = quotas[scope];
  const limits = [
    ...(maxRunning === undefined ? [] : [`run ${maxRunning} at a time (maxRunning)`]),
    ...(maxDollarsPerDay === undefined ? [] : [`spend ${maxDollarsPerDay} US dollars per day (maxDollarsPerDay)`]),
  ];
  return new ServiceError(
    "too_many_runs",
    `${maxWaiting} runs of the agent wait to start, and no more are accepted` +
      (limits.length === 0 ? "; retry later" : `; the ${scope} may ${limits.join(" and ")}`),
    { retryAfterSeconds: fullSeconds },
  );
}

function secondsToMidnight(now: number): number {
  return Math.ceil((86_400_000 - (now % 86_400_000)) / 1_000);
}

import type { Accounts } from "../accounts/types.ts";
import type { FileVersion } from "../agent/turn/manifest.ts";
import { log } from "../log.ts";
import { ServiceError } from "../errors.ts";
import type { Runs, Workflow } from "./ports.ts";
import { maxWaiting, quotasOf, spent, usedUp } from "./quotas.ts";
import { transitions } from "./status.ts";
import type { QuotaScope, Quotas, QuotaUse, Run, Slot, Stamped, TurnMessage } from "./types.ts";

/** What starts waiting runs. */
export interface AdmissionDeps {
  runs: Runs;
  accounts: Pick<Accounts, "findAgent" | "findOrganization">;
  workflow: Workflow;
  now: () => number;
}

type Owner = Pick<Run, "agentId" | "organizationId">;

/** Each attempt fails only if another turn took or freed a slot in between. */
const attempts = 5;

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
export async function requestSlot(
  deps: Pick<AdmissionDeps, "runs" | "now">,
  owner: Owner,
  quotas: Quotas,
): Promise<{ slot: Slot; stalled: boolean }> {
  const use = await requireDollars(deps, owner, quotas);
  const full = usedUp(quotas, use);
  const blockedBy = full ?? (use.agent.waiting > 0 ? "agent" : undefined);
  if (blockedBy && use.agent.waiting >= maxWaiting) throw queueFull(quotas, full ?? "agent");
  const { agentId, organizationId } = owner;
  const slot: Slot = { agentId, organizationId, quotas, ...(blockedBy && { blockedBy }) };
  return { slot, stalled: blockedBy !== undefined && full === undefined };
}

/** Stores a new run with a slot or waiting for one. Resolves with whether it waits. Rejects with 429 as `requestSlot`. */
export async function createWithSlot(
  deps: AdmissionDeps,
  run: Run,
  { messages, uploads }: { messages: Stamped<TurnMessage>[]; uploads: FileVersion[] },
  quotas: Quotas,
): Promise<{ waiting: boolean }> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { slot, stalled } = await requestSlot(deps, run, quotas);
    if (!(await deps.runs.create(run, messages, { slot, uploads }))) continue;
    if (stalled) await tryStartWaiting(deps, run.organizationId);
    return { waiting: slot.blockedBy !== undefined };
  }
  throw new ServiceError("too_many_runs", "too many runs of the agent start at the same time; retry later", {
    retryAfterSeconds: busySeconds,
  });
}

/** As `startWaiting`. An error is logged: the sweep or the runner repeats the attempt. */
export async function tryStartWaiting(deps: AdmissionDeps, organizationId: string): Promise<number> {
  try {
    return await startWaiting(deps, organizationId);
  } catch (error) {
    log("error", "waiting runs could not be started; the next attempt follows within two minutes", { error });
    return 0;
  }
}

/**
 * Starts the waiting runs of an organization that get a slot, oldest first by agent. Resolves with their number.
 * The sweep and the runner start a turn that has its slot, but whose workflow could not be started.
 */
export async function startWaiting(deps: AdmissionDeps, organizationId: string): Promise<number> {
  const { runs, accounts, workflow, now } = deps;
  const waiting = await runs.listWaiting(organizationId);
  if (waiting.length === 0) return 0;
  const organization = await accounts.findOrganization(organizationId);
  const blocked = new Set<string>();
  let started = 0;
  for (const { id, turn, agentId } of waiting) {
    if (blocked.has(agentId)) continue;
    const owner = { agentId, organizationId };
    const quotas = quotasOf(await accounts.findAgent(agentId), organization);
    const blockedBy = quotas && (await blocking(runs, owner, quotas));
    if (blockedBy === "organization") break;
    if (blockedBy === "agent") blocked.add(agentId);
    if (blockedBy) continue;
    const { to: status } = transitions.inputAccepted; // also while it waits
    const took = await runs.change({
      runId: id,
      expect: { status, turn, waiting: true },
      set: { status, turn, updatedAt: now() },
      slot: { ...owner, ...(quotas && { quotas }) },
    });
    if (!took) continue; // stopped, or started by another process
    await workflow.start(id, turn);
    started++;
  }
  return started;
}

/** Starts the waiting runs of all organizations. An error of one does not stop the others. */
export async function startAllWaiting(deps: AdmissionDeps): Promise<{ started: number; waiting: number }> {
  const waiting = await deps.runs.listWaiting();
  let started = 0;
  for (const organizationId of new Set(waiting.map((run) => run.organizationId))) {
    started += await tryStartWaiting(deps, organizationId);
  }
  return { started, waiting: waiting.length - started };
}

async function blocking(runs: Runs, owner: Owner, quotas: Quotas): Promise<QuotaScope | undefined> {
  const use = await runs.quotaUse(owner);
  return usedUp(quotas, use) ?? spent(quotas, use);
}

function queueFull(quotas: Quotas, scope: QuotaScope): ServiceError {
  const { maxRunning } = quotas[scope];
  return new ServiceError(
    "too_many_runs",
    `${maxWaiting} runs of the agent wait to start, and no more are accepted` +
      (maxRunning === undefined ? "; retry later" : `; the ${scope} may run ${maxRunning} at a time (maxRunning)`),
    { retryAfterSeconds: fullSeconds },
  );
}

function secondsToMidnight(now: number): number {
  return Math.ceil((86_400_000 - (now % 86_400_000)) / 1_000);
}

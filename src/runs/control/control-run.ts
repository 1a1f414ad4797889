import { requireActive } from "../../accounts/agents/agents.ts";
import { along } from "../../accounts/audit.ts";
import { starterOf } from "../../accounts/starter.ts";
import { pause } from "../../async/backoff.ts";
import type { AuditEntry } from "../../accounts/account-types.ts";
import { addUsage, noUsage } from "../../agent/turn/turn-limits.ts";
import { ServiceError } from "../../errors.ts";
import { stamped } from "../events.ts";
import { requireSameBody } from "../begin/idempotency.ts";
import { requireNotImported } from "../imported.ts";
import { findRunHead } from "../read/find-run.ts";
import { drainMilliseconds } from "../leases.ts";
import {
  type AdmissionDeps,
  changeWithSlot,
  findQuotas,
  manyStarts,
  requireDollars,
  slotAttempts,
  tryStartWaiting,
} from "../admission.ts";
import type { Uses } from "../ports.ts";
import { isWorking } from "./is-working.ts";
import { transitions, turnStartedAt } from "../status.ts";
import { startTurn, wallClock } from "../turn-writes.ts";
import type { Idempotency, KeptCreate, Quotas, Run, TurnMessage } from "../run-types.ts";

/** What limits the inputs of a run. */
export interface InputLimits {
  /** UTF-8 bytes of a transcript and its queued inputs that a run's next input may fill. Default: `defaultTranscriptBytes`. */
  maxTranscriptBytes?: number;
}

export interface ControlDeps extends AdmissionDeps, InputLimits, Uses<"actor" | "starter"> {}

/** Bounds and default of the setting in MB: a transcript is a response of `GET /v1/agents/{agent_id}`. */
export const transcriptMegabytes = { min: 1, max: 1_024, default: 32 };
const defaultTranscriptBytes = transcriptMegabytes.default * 2 ** 20;

/** Queued inputs per run. Each is a separate item in the store. */
export const maxQueued = 20;

/**
 * Starts the next turn of an idle run, or queues the input of a running one. The quotas are those of creates: the turn may
 * wait for a slot. Resolves with the changed run.
 */
export async function acceptInput(deps: ControlDeps, id: string, text: string): Promise<Run> {
  return (await acceptInputOnce(deps, id, text)).run;
}

/**
 * As `acceptInput`. A repeated request with the same idempotency key and text accepts nothing (`replayed`) and resolves with the
 * run as it is then; with another text, it rejects.
 */
export async function acceptInputOnce(
  deps: ControlDeps,
  id: string,
  text: string,
  idempotency?: Idempotency,
): Promise<{ run: Run; replayed: boolean }> {
  // Repeats when the run changes between the read and the write: it may finish or queue another input. Each lost slot
  // counts as an attempt.
  const startedBy = starterOf(deps.actor, deps.starter);
  const sender = startedBy && { startedBy };
  for (let lostSlots = 0; ;) {
    const run = await findRunHead(deps.runs, id);
    const { id: runId, agentId, organizationId, status, turn, queued = 0 } = run;
    requireNotImported(run);
    const kept = idempotency && (await deps.runs.findCreated(agentId, idempotency.key));
    if (idempotency && kept) return { run: await replayInput(deps, id, kept, idempotency), replayed: true };
    const once = idempotency && { idempotency: { ...idempotency, agentId } };
    const audited = along(deps.actor, "run.input", runId, deps.now(), { organizationId });
    const [{ quotas, agentVersion }] = await Promise.all([findAgentFacts(deps, run), requireSpace(deps, run, text)]);
    if (status === "running") {
      if (queued >= maxQueued) {
        throw new ServiceError(
          "queue_full",
          `run ${runId} has ${queued} queued inputs; at most ${maxQueued} are accepted`,
        );
      }
      if (quotas) await requireDollars(deps, run, quotas);
      const add = { turn: turn + queued + 1, text, ...sender };
      if (await deps.runs.change({ runId, expect: { status, turn, queued }, queue: { add }, ...audited, ...once })) {
        return { run: { ...run, queued: queued + 1 }, replayed: false };
      }
    } else if (status === "finished") {
      const { from, to } = transitions.inputAccepted;
      const set = { status: to, turn: turn + 1, updatedAt: deps.now() };
      const pinned = agentVersion !== undefined && { agentVersion };
      const message: TurnMessage = { turn: set.turn, role: "input_to_agent", text, ...pinned, ...sender };
      const messages = stamped([message], { sequence: run.sequence, at: Math.max(set.updatedAt, run.createdAt) });
      const change = {
        runId,
        expect: { status: from, turn, ...(run.pauses !== undefined && { pauses: run.pauses }) },
        set,
        messages,
        ...audited,
        ...once,
      };
      const outcome = await changeWithSlot(deps, run, quotas, change);
      if (outcome === "no_slot" && ++lostSlots === slotAttempts) throw manyStarts();
      if (outcome === "no_slot" || outcome === "lost") continue;
      const next: Run = { ...run, ...set, sequence: run.sequence + 1 };
      if (outcome.waiting) return { run: { ...next, waiting: true }, replayed: false };
      // A turn that cannot be started is left to a repetition, or to the sweep.
      await (idempotency ? deps.workflow.start(runId, set.turn, run) : startTurn(deps, run, set.turn));
      return { run: next, replayed: false };
    } else {
      throw new ServiceError("run_ended", `run ${runId} is ${status}; only a running or finished run accepts input`);
    }
  }
}

/** Starts the turn of an input that was stored, but whose request failed before the start. Resolves with the run. */
async function replayInput(
  deps: ControlDeps,
  id: string,
  { request }: KeptCreate,
  repeated: Idempotency,
): Promise<Run> {
  requireSameBody(request, repeated, "input", "input");
  const run = await findRunHead(deps.runs, id); // as it is after the request that stored the key
  if (isWorking(run)) await deps.workflow.start(run.id, run.turn, run);
  return run;
}

/** Throws if the input would not fit into the run's transcript. The output of a turn may exceed the limit: it is paid for. */
async function requireSpace(deps: ControlDeps, { id, status }: Run, text: string): Promise<void> {
  if (status !== "running" && status !== "finished") return;
  const { maxTranscriptBytes = defaultTranscriptBytes } = deps;
  const bytes = (await deps.runs.transcriptBytes(id)) + Buffer.byteLength(text);
  if (bytes <= maxTranscriptBytes) return;
  throw new ServiceError(
    "transcript_full",
    `the transcript of run ${id} would have ${megabytes(bytes)} MB with this input; at most ` +
      `${megabytes(maxTranscriptBytes)} MB are accepted; start another run`,
  );
}

function megabytes(bytes: number): number {
  return Math.ceil((bytes / 2 ** 20) * 10) / 10;
}

/** What the acceptance of an input needs of the run's agent. Rejects unless that is active. */
async function findAgentFacts(
  { accounts }: ControlDeps,
  run: Run,
): Promise<{ quotas: Quotas | undefined; agentVersion: number | undefined }> {
  const { agent, quotas } = await findQuotas(accounts, run);
  const { version } = requireActive(agent, "send inputs");
  return { quotas, agentVersion: version };
}

/**
 * Sets a run to `terminated`, drops its queued inputs and stops its work. No-op for a terminated run. Resolves with the
 * changed run.
 */
export async function stopRun(deps: ControlDeps, id: string): Promise<Run> {
  const { after } = await terminate(deps, id, "run.stop", (run) => {
    const { id: runId, status } = run;
    requireNotImported(run);
    if (status !== "technical_error") return;
    throw new ServiceError("run_ended", `run ${runId} already ended with technical_error and cannot be stopped`);
  });
  return after;
}

/**
 * What other features have of runs and agents, and a deletion ends. A platform is opened with them. Each method is idempotent,
 * and gets what the deletion has.
 */
export interface Companions {
  /** Erases the copies of a run's turns that were kept. */
  eraseCopies(this: void, deps: DeleteDeps, run: Run): Promise<void>;
  /** Erases the cases of trials that try the run. */
  eraseCases(this: void, deps: DeleteDeps, runId: string): Promise<void>;
  /**
   * Deletes the trials of an agent with their runs. `before`: those that have not changed since then and are not in progress. Absent: all,
   * and the suites.
   */
  deleteTrials(this: void, deps: DeleteDeps, agentId: string, before?: number): Promise<void>;
}

/** What a deletion needs. */
export interface DeleteDeps extends ControlDeps, Uses<"workspace" | "pendingUploads"> {
  companions: Companions;
}

/**
 * Stops a run and permanently deletes its transcript, journal and files, its copies in suites, the cases of trials that try it, and the pending
 * uploads that no other run was created with. API clients then see `terminated` and an empty transcript. Resolves with what remains of the run, when the
 * rest is gone.
 * - Takes 3 s for a run with work in progress, until its worker has stopped writing.
 * - Idempotent: a repeated call continues after a failure. One machine continues after a restart by itself.
 * - `check` throws for a run that must stay as it is.
 */
export async function deleteRun(deps: DeleteDeps, id: string, check?: (run: Run) => void): Promise<Run> {
  // First: an interrupted deletion is continued like one of an expired run.
  await deps.companions.eraseCopies(deps, await findRunHead(deps.runs, id));
  const { before, after } = await terminate(deps, id, "run.delete", check);
  const { id: runId, organizationId, turn } = before;
  if (before.status === "terminated") {
    const audited = along(deps.actor, "run.delete", runId, deps.now(), { organizationId });
    await deps.runs.change({ runId, expect: { status: "terminated", turn }, erase: true, ...audited });
  }
  await pause(drainDelay(before, deps.now()));
  await deps.companions.eraseCases(deps, runId);
  await deps.pendingUploads.release(before);
  await deps.workspace.removeAll(runId);
  if (!(await deps.runs.erase(runId)))
    throw new ServiceError("modified_concurrently", `run ${runId} was modified concurrently; retry`);
  const { failure: _failure, labels: _labels, ...kept } = after;
  return { ...kept, name: "", sequence: 0 };
}

/** As `deleteRun`, for a program with a key of the run's agent. Rejects with `delete_not_allowed` unless the agent allows it. */
export async function deleteOwnRun(deps: DeleteDeps, { id, agentId }: Pick<Run, "id" | "agentId">): Promise<Run> {
  const agent = await deps.accounts.findAgent(agentId);
  if (agent?.allowDelete) return deleteRun(deps, id);
  const message =
    "Runs of this agent cannot be deleted with an API key: its agent file does not set allowDelete to true";
  throw new ServiceError("delete_not_allowed", message);
}

const terminations = {
  running: transitions.stoppedWhileRunning,
  finished: transitions.stoppedWhileIdle,
  technical_error: transitions.deletedAfterError,
};

/**
 * Sets a run to `terminated`, unless it already is, and stops its work. Returns the run as it was replaced and as it is
 * now. `check` throws for a run that must stay as it is.
 */
async function terminate(
  deps: ControlDeps,
  id: string,
  action: AuditEntry["action"],
  check: (run: Run) => void = () => {},
): Promise<{ before: Run; after: Run }> {
  // Repeats when the run changes between the read and the write: it may end or start its next turn.
  for (;;) {
    const run = await findRunHead(deps.runs, id);
    const { id: runId, organizationId, status, turn } = run;
    if (status === "terminated") return { before: run, after: run };
    check(run);
    const { from, to } = terminations[status];
    const set = { status: to, turn, updatedAt: deps.now() };
    const audited = along(deps.actor, action, runId, set.updatedAt, { organizationId });
    const erase = action === "run.delete" && { erase: true as const };
    // A waiting run has no worker to wait for, unless it starts before the write.
    const asks = run.askedUntil !== undefined;
    const expect = { status: from, turn, ...(run.waiting && { waiting: true as const }), asks };
    // The steps of the turn count as they are recorded, its time when it ends.
    const milliseconds = status === "running" ? workedUntil(run, set.updatedAt) : undefined;
    const worked = milliseconds !== undefined && { used: wallClock(milliseconds) };
    const change = { runId, expect, set, queue: "drop", facts: run, ...worked, ...erase, ...audited } as const;
    if (!(await deps.runs.change(change))) continue;
    if (status !== "technical_error") await deps.workflow.stop(runId, turn, run.pauses);
    const { quotaOf, waiting, queued: _dropped, askedUntil: _asked, worked: _worked, ...kept } = run;
    if (quotaOf && !waiting) await tryStartWaiting(deps, run.organizationId);
    const used = worked && { used: addUsage(run.used ?? noUsage, worked.used) };
    return { before: run, after: { ...kept, ...set, ...used } };
  }
}

/** Milliseconds that the current turn has worked, without its waits. Undefined: it waits for its first slot. */
function workedUntil(run: Run, now: number): number | undefined {
  return run.waiting || run.askedUntil !== undefined ? run.worked : now - turnStartedAt(run);
}

/** Milliseconds until a worker of the run has stopped writing. `run`: as it was before it was stopped. */
function drainDelay({ status, updatedAt, waiting, askedUntil }: Run, now: number): number {
  if (status === "running") return waiting || askedUntil !== undefined ? 0 : drainMilliseconds;
  return status === "terminated" ? Math.max(0, Math.min(updatedAt - now, 0) + drainMilliseconds) : 0;
}

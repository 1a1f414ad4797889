import { randomUUID } from "node:crypto";
import { settleAll } from "../async/settle-all.ts";
import { modelProblem } from "../agent/models/model-config.ts";
import { pause } from "../async/backoff.ts";
import { log } from "../log.ts";
import { ServiceError, StoreUnavailable } from "../errors.ts";
import { decodeFiles, type FileInput } from "./uploads.ts";
import { keyHash } from "../accounts/api-key.ts";
import { workersGoneMilliseconds } from "./leases.ts";
import { transitions } from "./status.ts";
import { failTurn, notStarted } from "./turn-writes.ts";
import type { Accounts, ApiKey } from "../accounts/types.ts";
import type { Run, RunChange, Runs, RunView, Workflow, Workspace } from "./ports.ts";

/** What the use cases are built on. `secretExists` makes no network call. */
export interface Deps {
  accounts: Accounts;
  runs: Runs;
  workspace: Workspace;
  workflow: Workflow;
  now: () => number;
  secretExists: (secret: string) => boolean;
}

/** The agent and organization that an API key stands for. */
export type Principal = Pick<ApiKey, "agentId" | "organizationId">;

/** Who calls with this key. Unknown, disabled and mistyped keys are refused alike; the last needs no look-up. */
export async function authenticate({ accounts }: Pick<Deps, "accounts">, key: string | undefined): Promise<Principal> {
  if (key === undefined) throw new ServiceError("key_missing", "Missing API key");
  const hash = keyHash(key);
  const found = hash === undefined ? undefined : await accounts.findKey(hash);
  if (!found?.enabled) throw new ServiceError("key_invalid", "Invalid API key");
  return found;
}

export interface CreateInput {
  name: string;
  template_id: string;
  input_text?: string | null;
  files?: FileInput[];
}

/** Creates a run and starts its first turn. Resolves with the run's id when files, run and start are durable. */
export async function createRun(deps: Deps, caller: Principal, input: CreateInput): Promise<string> {
  if (input.template_id !== caller.agentId) {
    throw new ServiceError("template_mismatch", "API key is not valid for the requested template");
  }
  const id = randomUUID();
  const files = Promise.try(decodeFiles, input.files ?? []);
  // Together, which is a round trip less; so a refused create has files to take back.
  const admitted = settleAll([
    admit(deps, caller, files),
    files.then((decoded) => (decoded.length > 0 ? deps.workspace.write(id, decoded) : undefined)),
  ]).catch(async (error: unknown) => {
    await takeBack(deps.workspace, id, files);
    throw error;
  });

  const text = input.input_text ?? undefined;
  const { to: status } = text === undefined ? transitions.createdIdle : transitions.createdWithInput;
  const now = deps.now();
  const run: Run = {
    id,
    agentId: caller.agentId,
    organizationId: caller.organizationId,
    name: input.name,
    status,
    turn: text === undefined ? 0 : 1,
    createdAt: now,
    updatedAt: now,
  };
  await deps.runs.create(run, text === undefined ? [] : [{ turn: 1, role: "input_to_agent", text }], admitted);
  if (text !== undefined) await startTurn(deps, id, run.turn);
  return id;
}

type DecodedFiles = Promise<{ name: string; content: Uint8Array }[]>;

/** Refuses a create for its agent, then for its files, then for its model: the first that is wrong is told. */
async function admit(
  { accounts, secretExists }: Pick<Deps, "accounts" | "secretExists">,
  caller: Principal,
  files: DecodedFiles,
): Promise<void> {
  const [agent, organization] = await Promise.all([
    accounts.findAgent(caller.agentId),
    accounts.findOrganization(caller.organizationId),
  ]);
  if (!agent || agent.status === "deleted") throw new ServiceError("agent_deleted", "Agent template not found");
  if (agent.status === "archived") {
    throw new ServiceError("agent_archived", "Agent template is archived; unarchive it to create runs");
  }
  await files;
  const problem = modelProblem(organization?.model, secretExists);
  if (problem !== undefined) throw new ServiceError("no_model", problem);
}

/** Removes the files of a run that will not be. Those that can't be removed now expire like a run's. */
async function takeBack(workspace: Workspace, runId: string, files: DecodedFiles): Promise<void> {
  const names = await files.then(
    (decoded) => decoded.map(({ name }) => name),
    () => [],
  );
  if (names.length === 0) return;
  await workspace.remove(runId, names).catch((error: unknown) => {
    log("error", "the files of a refused create could not be removed and stay until they expire", { runId, error });
  });
}

/** A run's status and transcript, for a caller whose key is still being looked up: both reads go out together. */
export async function readRun(
  { runs }: Pick<Deps, "runs">,
  caller: Promise<Principal>,
  runId: string,
): Promise<RunView> {
  const [known, found] = await Promise.allSettled([caller, runs.read(runId)]);
  if (known.status === "rejected") throw historyError(known.reason);
  if (found.status === "rejected") throw historyError(found.reason);
  const { agentId, organizationId } = known.value;
  if (found.value?.run.agentId !== agentId || found.value.run.organizationId !== organizationId) {
    throw new ServiceError("run_not_found", "Agent not found");
  }
  return found.value;
}

/** Inputs that may wait for a run's turn to end: each is a record of its own, and somebody has to answer them. */
export const maxQueued = 20;

/** Gives an idle run its next turn, or a running one an input that waits for its turn to end. */
export async function acceptInput(
  deps: Pick<Deps, "runs" | "workflow" | "now">,
  runId: string,
  text: string,
): Promise<void> {
  // The run may finish, or take another input, between the read and the write: then look again.
  for (;;) {
    const { run } = await existing(deps.runs, runId);
    const { status, turn, queued = 0 } = run;
    if (status === "running") {
      if (queued >= maxQueued) {
        throw new ServiceError(
          "queue_full",
          `run ${runId} has ${queued} inputs waiting already; ${maxQueued} are accepted`,
        );
      }
      const add = { turn: turn + queued + 1, text };
      if (await deps.runs.change({ runId, expect: { status, turn, queued }, queue: { add } })) return;
    } else if (status === "finished") {
      const { from, to } = transitions.inputAccepted;
      const accepted = await deps.runs.change({
        runId,
        expect: { status: from, turn },
        set: { status: to, turn: turn + 1, updatedAt: deps.now() },
        messages: [{ turn: turn + 1, role: "input_to_agent", text }],
      });
      if (accepted) return startTurn(deps, runId, turn + 1);
    } else {
      throw new ServiceError("run_ended", `run ${runId} is ${status}; only a running or finished run accepts input`);
    }
  }
}

/**
 * Makes a run `terminated`, at once and for good, drops the inputs that wait and stops the work on it. Stopping a
 * terminated run is a no-op.
 */
export async function stopRun(deps: Pick<Deps, "runs" | "workflow" | "now">, runId: string): Promise<void> {
  // The run may finish, or start its next turn, between the read and the write: then look again.
  for (;;) {
    const { run } = await existing(deps.runs, runId);
    if (run.status === "terminated") return;
    if (run.status === "technical_error") {
      throw new ServiceError(
        "run_ended",
        `run ${runId} has already ended with technical_error; there is nothing to stop`,
      );
    }
    const { to } = run.status === "running" ? transitions.stoppedWhileRunning : transitions.stoppedWhileIdle;
    const change: RunChange = {
      runId,
      expect: { status: run.status, turn: run.turn },
      set: { status: to, turn: run.turn, updatedAt: deps.now() },
      queue: "drop",
    };
    if (await deps.runs.change(change)) return deps.workflow.stop(runId, run.turn);
  }
}

/**
 * Stops a run and removes its transcript, steps and files, for good; its readers see `terminated` and no message. For a
 * run that was worked on until now it takes 3 s, until no worker writes to it any more. Repeated after a failure, it
 * removes what is left.
 */
export async function deleteRun(
  deps: Pick<Deps, "runs" | "workflow" | "workspace" | "now">,
  runId: string,
): Promise<void> {
  const { run } = await existing(deps.runs, runId);
  const { from, to } = transitions.deletedAfterError;
  if (run.status === from) {
    const { turn } = run;
    await deps.runs.change({ runId, expect: { status: from, turn }, set: { status: to, turn, updatedAt: deps.now() } });
  } else await stopRun(deps, runId);
  await pause(workLeft(run, deps.now()));
  if (!(await deps.runs.erase(runId)))
    throw new ServiceError("modified_concurrently", `run ${runId} was modified concurrently; retry`);
  await deps.workspace.removeAll(runId);
}

/** Milliseconds for which a worker that has not noticed the end of the run may go on. */
function workLeft({ status, updatedAt }: Run, now: number): number {
  if (status === "running") return workersGoneMilliseconds;
  return status === "terminated" ? Math.max(0, Math.min(updatedAt - now, 0) + workersGoneMilliseconds) : 0;
}

/** A turn whose start failed would stay `running` for ever: it is ended with `technical_error`, and the error passed on. */
async function startTurn(deps: Pick<Deps, "runs" | "workflow" | "now">, runId: string, turn: number): Promise<void> {
  try {
    await deps.workflow.start(runId, turn);
  } catch (error) {
    await failTurn(deps, { runId, turn }, notStarted);
    throw error;
  }
}

async function existing(runs: Runs, runId: string): Promise<{ run: Run }> {
  const found = await runs.read(runId);
  if (!found) throw new ServiceError("run_not_found", `there is no run ${runId}`);
  return found;
}

function historyError(cause: unknown): unknown {
  if (cause instanceof ServiceError) return cause;
  return cause instanceof StoreUnavailable
    ? new ServiceError("history_unavailable", "event history is temporarily unavailable", { cause })
    : new ServiceError("history_failed", "event history lookup failed", { cause });
}

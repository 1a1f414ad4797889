import { randomUUID } from "node:crypto";
import { type Actor, along } from "../accounts/audit.ts";
import { modelProblem } from "../agent/models/model-config.ts";
import type { Secrets } from "../agent/secret.ts";
import { settleAll } from "../async/settle-all.ts";
import { log } from "../log.ts";
import { ServiceError, StoreUnavailable } from "../errors.ts";
import { deleteNewFiles, type GivenFiles, manifestOfNew, readNewFiles, storeNewFiles } from "./new-files.ts";
import type { Stores, Workflow } from "./ports.ts";
import { createWithSlot } from "./admission.ts";
import { stamped } from "./events.ts";
import { quotasOf } from "./quotas.ts";
import { transitions } from "./status.ts";
import { failTurn, notStarted, startTurn } from "./turn-writes.ts";
import type { Quotas, Run, TurnMessage } from "./types.ts";

export interface CreateRunDeps extends Stores, Pick<Secrets, "secretRefusal"> {
  workflow: Workflow;
  now: () => number;
  /** The operator, for the audit. Absent: a client with an API key. */
  actor?: Actor;
}

/** What a run begins with. Callers check lengths and the number of files (`newRunLimits`), in the way of their interface. */
export interface NewRun extends GivenFiles {
  name: string;
  /** The first input. Absent: the run is idle until it gets one. */
  text?: string | undefined;
}

type Owner = Pick<Run, "agentId" | "organizationId">;

/**
 * Creates a run of an agent and starts its first turn, or lets it wait for a slot. Resolves with the run's id when files,
 * run and start are durable. Rejects with the first of: agent deleted or archived, invalid files, no usable model, quotas.
 */
export async function createRun(deps: CreateRunDeps, owner: Owner, input: NewRun): Promise<string> {
  const id = randomUUID();
  const files = readNewFiles(deps, owner.agentId, input); // in parallel with the look-ups
  const run = newRun(id, owner, input, deps.now());
  let [waiting, storing] = [false, false];
  try {
    // In parallel, which saves a round trip. A rejected create therefore has files to delete.
    const preconditions = checkPreconditions(deps, owner, files);
    await settleAll<unknown>([preconditions, files.then((read) => storeNewFiles(deps, id, read))]);
    const { quotas, agentVersion } = await preconditions;
    const uploads = manifestOfNew(await files);
    const messages = stamped(inputMessages(input.text, agentVersion), { sequence: 0, at: run.createdAt });
    storing = true;
    const more = { uploads, ...along(deps.actor, "run.create", id, run.createdAt) };
    if (quotas && run.turn === 1) {
      const stored = await createWithSlot(deps, run, { messages, ...more }, quotas);
      waiting = "waiting" in stored && stored.waiting;
    } else await deps.runs.create(run, messages, more);
  } catch (error) {
    if (storing && mayBeStored(error)) await endIfStored(deps, run);
    else await deleteNewFiles(deps.workspace, id, files);
    throw error;
  }
  if (run.turn === 1 && !waiting) await startTurn(deps, id, run.turn);
  return id;
}

function newRun(id: string, { agentId, organizationId }: Owner, { name, text }: NewRun, now: number): Run {
  const hasInput = text !== undefined;
  const { to: status } = hasInput ? transitions.createdWithInput : transitions.createdIdle;
  return {
    id,
    agentId,
    organizationId,
    name,
    status,
    turn: hasInput ? 1 : 0,
    createdAt: now,
    updatedAt: now,
    sequence: hasInput ? 1 : 0,
  };
}

function inputMessages(text: string | undefined, agentVersion: number | undefined): TurnMessage[] {
  if (text === undefined) return [];
  return [{ turn: 1, role: "input_to_agent", text, ...(agentVersion !== undefined && { agentVersion }) }];
}

/**
 * Checks agent, files and model in this order; throws the first failure. Resolves with the quotas of the run and the
 * agent's version.
 */
async function checkPreconditions(
  { accounts, secretRefusal }: Pick<CreateRunDeps, "accounts" | "secretRefusal">,
  { agentId, organizationId }: Owner,
  files: Promise<unknown>,
): Promise<{ quotas?: Quotas; agentVersion?: number }> {
  const [agent, organization] = await Promise.all([
    accounts.findAgent(agentId),
    accounts.findOrganization(organizationId),
  ]);
  if (!agent || agent.status === "deleted") throw new ServiceError("agent_deleted", "Agent template not found");
  if (agent.status === "archived") {
    throw new ServiceError("agent_archived", "Agent template is archived; unarchive it to create runs");
  }
  await files;
  const use = { organizationId, purpose: "model" } as const;
  const problem = modelProblem(organization?.model, (secret, url) => secretRefusal(secret, { ...use, url }));
  if (problem !== undefined) throw new ServiceError("no_model", problem);
  const quotas = quotasOf(agent, organization);
  return { ...(quotas && { quotas }), ...(agent.version !== undefined && { agentVersion: agent.version }) };
}

/** Whether the run may exist although the store reported `error`: the response of a write can be lost. */
function mayBeStored(error: unknown): boolean {
  return error instanceof StoreUnavailable && !error.unchanged;
}

/**
 * Ends the run of a failed create, if it exists: a run that waits would start later, without a client that knows it. Its
 * files are kept in case that fails, too, and expire.
 */
async function endIfStored(deps: CreateRunDeps, { id: runId, turn }: Run): Promise<void> {
  if (turn === 0) return; // idle: nothing starts it
  await failTurn(deps, { runId, turn }, notStarted).catch((error: unknown) => {
    log("error", "it is unknown whether the run of a failed create exists; if it waits for a slot, it will start", {
      runId,
      error,
    });
  });
}

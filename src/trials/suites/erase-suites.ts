import { type Actor, along } from "../../accounts/audit.ts";
import { findAgent } from "../../accounts/agents.ts";
import type { Accounts, Along } from "../../accounts/types.ts";
import { ServiceError } from "../../errors.ts";
import { keepingCopies } from "../../runs/companions.ts";
import { type DeleteDeps, deleteRun } from "../../runs/control-run.ts";
import type { Removal } from "../../runs/ports.ts";
import type { Run } from "../../runs/types.ts";
import { ignoreEnded } from "../ignore-ended.ts";
import { caseId, findSuite, listSuites, listAllRuns } from "./suites.ts";
import type { Suite } from "./types.ts";

export interface EraseKeptDeps extends DeleteDeps {
  removal: Removal;
  /** The operator, for the audit. */
  actor?: Actor;
}

export interface ControlSuiteDeps extends EraseKeptDeps {
  accounts: Accounts;
}

/** Deletes a suite with its cases. */
export async function deleteSuite(deps: ControlSuiteDeps, agentId: string, name: string): Promise<Suite> {
  const { id, organizationId } = await findAgent(deps.accounts, agentId);
  const suite = await findSuite(deps.runs, id, name);
  await eraseSuite(deps, suite, along(deps.actor, "suite.delete", suite.id, deps.now(), { organizationId }));
  return suite;
}

/** Removes one case from a suite of an agent. */
export async function removeFromSuite(
  deps: ControlSuiteDeps,
  { agentId, name }: { agentId: string; name: string },
  runId: string,
): Promise<void> {
  const { id, organizationId } = await findAgent(deps.accounts, agentId);
  const suite = await findSuite(deps.runs, id, name);
  const run = await deps.runs.head(runId);
  if (run?.agentId !== suite.id) {
    throw new ServiceError("case_not_found", `suite ${JSON.stringify(name)} has no case ${runId}`);
  }
  await recordAction(deps, suite, along(deps.actor, "suite.remove", suite.id, deps.now(), { organizationId }));
  await removeCase(deps, run);
}

/** Deletes all suites of an agent, with its organization. */
export async function deleteSuites(deps: EraseKeptDeps, agentId: string): Promise<void> {
  for (const suite of await listSuites(deps.runs, agentId)) await eraseSuite(deps, suite);
}

/** Erases the copies of a run's turns that suites of its agent have kept, and what trials of these copies have. */
export async function eraseCopies(deps: EraseKeptDeps, { id: runId, agentId, turn: turns }: Run): Promise<void> {
  for (const suite of await listSuites(deps.runs, agentId)) {
    for (let turn = 1; turn <= turns; turn++) {
      const copy = await deps.runs.head(caseId(suite, { runId, turn }));
      if (copy) await removeCase(deps, copy);
    }
  }
}

async function eraseSuite(deps: EraseKeptDeps, suite: Suite, audited: Along = {}): Promise<void> {
  for (const run of await listAllRuns(deps.runs, suite)) await removeCase(deps, run);
  await deps.removal.removeAgent(suite.id); // what its cases ran on
  await recordAction(deps, suite, audited);
  await removeCase(deps, suite);
}

/** Deletes the run of a case, or that of a suite, for good. */
export async function removeCase(deps: EraseKeptDeps, { id }: Pick<Run, "id">): Promise<void> {
  const { actor: _, ...service } = keepingCopies(deps); // the audit has what he or she has done
  await deleteRun(service, id).catch(ignoreEnded);
  await deps.removal.removeRuns([id]);
}

/** Stores an entry of the audit while the suite exists. */
async function recordAction({ runs }: EraseKeptDeps, { id }: Suite, { audit }: Along): Promise<void> {
  if (audit) await runs.change({ runId: id, expect: { status: "finished", turn: 0 }, audit });
}

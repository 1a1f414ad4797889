import { findAgent } from "../accounts/agents/agents.ts";
import { along } from "../accounts/audit.ts";
import type { Accounts, Along } from "../accounts/account-types.ts";
import { noUsage } from "../agent/turn/turn-limits.ts";
import { settleAll } from "../async/settle-all.ts";
import { ServiceError } from "../errors.ts";
import { log } from "../log.ts";
import { noCompanions, keepingCopies } from "../runs/erase/companions.ts";
import { type Companions, type DeleteDeps, deleteRun } from "../runs/control/control-run.ts";
import type { Removal } from "../runs/ports.ts";
import type { Run } from "../runs/run-types.ts";
import { recordedRunDeleted } from "./cases/inspect-turn.ts";
import { isActive } from "./names.ts";
import type { Trials } from "./ports.ts";
import { caseId, findSuite, listSuites, listAllRuns, type Suite } from "./suites/suites.ts";
import { type Attempt, attemptNames, attemptsOf, type TrialCase } from "./trial-types.ts";

interface EraseDeps extends DeleteDeps {
  removal: Removal;
}

export interface EraseSuiteDeps extends EraseDeps {
  accounts: Accounts;
}

interface EraseTrialsDeps extends EraseDeps {
  trials: Trials;
}

/** Runs that are deleted together, which share the work of erasing. */
const deletedAtOnce = 25;
const pageSize = 100; // trials

/** What the deletion of a run, of an organization and of what has expired does with trials and suites. */
export function trialCompanions({ trials, removal }: Pick<EraseTrialsDeps, "trials" | "removal">): Companions {
  return {
    async eraseCases(given, runId) {
      const deps = { ...given, trials, removal };
      for (const { trialId, number } of await trials.listCasesOf(runId)) await eraseCase(deps, trialId, number);
    },

    eraseCopies: (deps, run) => eraseCopies({ ...deps, removal }, run),

    async deleteTrials(given, agentId, before) {
      const deps = { ...given, trials, removal };
      if (before === undefined) await deleteSuites(deps, agentId);
      let page = await deps.trials.list({ agentId, limit: pageSize });
      for (;;) {
        for (const { id, status, updatedAt } of page.trials) {
          if (before !== undefined && (isActive(status) || updatedAt >= before)) continue;
          await removeTrial(deps, id);
          log("info", "trial deleted", { trialId: id });
        }
        if (!page.next) return;
        page = await deps.trials.list({ agentId, limit: pageSize, after: page.next });
      }
    },
  };
}

/** Deletes a trial with its runs, whatever its status. No attempt starts any more. */
async function removeTrial(deps: EraseTrialsDeps, id: string): Promise<void> {
  for (;;) {
    const trial = await deps.trials.find(id);
    if (!trial) return;
    const stopping = { ...trial, status: "stopping", revision: trial.revision + 1 } as const;
    if (trial.status !== "running" || (await deps.trials.replace(stopping))) break;
  }
  await deleteRunsOf(deps, id);
  await deps.trials.remove(id);
}

/** Deletes the runs of a trial, and what they ran on. */
export async function deleteRunsOf(deps: EraseTrialsDeps, trialId: string): Promise<void> {
  const cases = await deps.trials.listCases(trialId);
  const ids = cases.flatMap(attemptsOf).map(({ runId }) => runId);
  for (let at = 0; at < ids.length; at += deletedAtOnce) {
    const some = ids.slice(at, at + deletedAtOnce);
    await settleAll(some.map((id) => deleteAttempt(deps, id)));
    await deps.removal.removeRuns(some);
  }
  await deps.removal.removeAgent(trialId);
}

/**
 * Erases what a case has of its recorded run: the runs of its attempts, what they came to, and a person's verdict. What they used
 * stays: it counts towards the budget. The case is written first, so that no process starts an attempt again.
 */
async function eraseCase(deps: EraseTrialsDeps, trialId: string, number: number): Promise<void> {
  for (;;) {
    const one = await deps.trials.findCase(trialId, number);
    if (!one) return;
    const { revision } = one;
    const { input: _text, ...source } = one.source;
    const erased: TrialCase = { trialId, number, revision: revision + 1, source, cannotBeTried: recordedRunDeleted };
    for (const name of attemptNames) {
      const attempt = one[name];
      if (attempt) erased[name] = await erasedAttempt(deps, attempt);
    }
    if (!(await deps.trials.replaceCase(erased))) continue;
    const ids = attemptsOf(erased).map(({ runId }) => runId);
    await settleAll(ids.map((id) => deleteAttempt(deps, id)));
    await deps.removal.removeRuns(ids);
    return;
  }
}

async function erasedAttempt({ runs }: EraseDeps, { runId, budget, outcome }: Attempt) {
  const used = outcome?.used ?? { ...noUsage, ...(await runs.head(runId))?.used };
  return { runId, budget, outcome: { ending: { kind: "stopped" as const }, assertions: [], used } };
}

/** Without the actor: the audit has what he or she has done. Nothing tries an attempt. */
async function deleteAttempt(given: EraseDeps, runId: string): Promise<void> {
  const { actor: _actor, ...deps } = given;
  await deleteRun({ ...deps, companions: noCompanions }, runId).catch(ignoreEnded);
}

/** Deletes a suite with its cases. */
export async function deleteSuite(deps: EraseSuiteDeps, agentId: string, name: string): Promise<Suite> {
  const { id, organizationId } = await findAgent(deps.accounts, agentId);
  const suite = await findSuite(deps.runs, id, name);
  await eraseSuite(deps, suite, along(deps.actor, "suite.delete", suite.id, deps.now(), { organizationId }));
  return suite;
}

/** Removes one case from a suite of an agent. */
export async function removeFromSuite(
  deps: EraseSuiteDeps,
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
export async function deleteSuites(deps: EraseDeps, agentId: string): Promise<void> {
  for (const suite of await listSuites(deps.runs, agentId)) await eraseSuite(deps, suite);
}

/** Erases the copies of a run's turns that suites of its agent have kept, and what trials of these copies have. */
export async function eraseCopies(deps: EraseDeps, { id: runId, agentId, turn: turns }: Run): Promise<void> {
  for (const suite of await listSuites(deps.runs, agentId)) {
    for (let turn = 1; turn <= turns; turn++) {
      const copy = await deps.runs.head(caseId(suite, { runId, turn }));
      if (copy) await removeCase(deps, copy);
    }
  }
}

async function eraseSuite(deps: EraseDeps, suite: Suite, audited: Along = {}): Promise<void> {
  for (const run of await listAllRuns(deps.runs, suite)) await removeCase(deps, run);
  await deps.removal.removeAgent(suite.id); // what its cases ran on
  await recordAction(deps, suite, audited);
  await removeCase(deps, suite);
}

/** Deletes the run of a case, or that of a suite, for good. */
export async function removeCase(deps: EraseDeps, { id }: Pick<Run, "id">): Promise<void> {
  const { actor: _, ...service } = keepingCopies(deps); // the audit has what he or she has done
  await deleteRun(service, id).catch(ignoreEnded);
  await deps.removal.removeRuns([id]);
}

/** Stores an entry of the audit while the suite exists. */
async function recordAction({ runs }: EraseDeps, { id }: Suite, { audit }: Along): Promise<void> {
  if (audit) await runs.change({ runId: id, expect: { status: "finished", turn: 0 }, audit });
}

/** The run has ended, was not created, or is gone. */
export function ignoreEnded(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}

import { noUsage } from "../agent/turn/limits.ts";
import { settleAll } from "../async/settle-all.ts";
import { log } from "../log.ts";
import { noCompanions } from "../runs/companions.ts";
import { type Companions, type DeleteDeps, deleteRun } from "../runs/control-run.ts";
import type { Removal } from "../runs/ports.ts";
import { ignoreEnded } from "./ignore-ended.ts";
import { isActive } from "./names.ts";
import type { Trials } from "./ports.ts";
import { deleteSuites, eraseCopies } from "./suites/erase-suites.ts";
import { type Arm, attemptNames, type TrialCase, type Vote } from "./types.ts";

export interface EraseDeps extends DeleteDeps, Erasing {}

interface Erasing {
  trials: Trials;
  removal: Removal;
}

export const recordedRunDeleted = "The recorded run was deleted.";

/** Runs that are deleted together, which share the work of erasing. */
const deletedAtOnce = 25;
const pageSize = 100; // trials

/** What the deletion of a run, of an organization and of what has expired does with trials and suites. */
export function trialCompanions({ trials, removal }: Erasing): Companions {
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
async function removeTrial(deps: EraseDeps, id: string): Promise<void> {
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
export async function deleteRunsOf(deps: EraseDeps, trialId: string): Promise<void> {
  const cases = await deps.trials.listCases(trialId);
  const ids = cases.flatMap((one) => attemptNames.flatMap((name) => one[name]?.runId ?? []));
  for (let at = 0; at < ids.length; at += deletedAtOnce) {
    const some = ids.slice(at, at + deletedAtOnce);
    await settleAll(some.map((id) => deleteAttempt(deps, id)));
    await deps.removal.removeRuns(some);
  }
  await deps.removal.removeAgent(trialId);
}

/**
 * Erases what a case has of its recorded run: the runs of its attempts and votes, what they came to, and a person's verdict. What they used
 * stays: it counts towards the budget. The case is written first, so that no process starts an attempt again.
 */
async function eraseCase(deps: EraseDeps, trialId: string, number: number): Promise<void> {
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
    const ids = attemptNames.flatMap((name) => erased[name]?.runId ?? []);
    await settleAll(ids.map((id) => deleteAttempt(deps, id)));
    await deps.removal.removeRuns(ids);
    return;
  }
}

async function erasedAttempt({ runs }: EraseDeps, { runId, budget, outcome }: Arm | Vote) {
  const used = outcome?.used ?? { ...noUsage, ...(await runs.head(runId))?.used };
  return { runId, budget, outcome: { ending: { kind: "stopped" as const }, assertions: [], used } };
}

/** Without the actor: the audit has what he or she has done. Nothing tries an attempt. */
async function deleteAttempt(given: EraseDeps, runId: string): Promise<void> {
  const { actor: _actor, ...deps } = given;
  await deleteRun({ ...deps, companions: noCompanions }, runId).catch(ignoreEnded);
}

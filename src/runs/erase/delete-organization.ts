import { along } from "../../accounts/audit.ts";
import { deleteAgent, endKeys } from "../../accounts/agents/delete-agent.ts";
import { beginDeletion, findOrganization } from "../../accounts/organizations.ts";
import { ServiceError } from "../../errors.ts";
import { log } from "../../log.ts";
import { keepingCopies } from "./companions.ts";
import { type DeleteDeps, deleteRun } from "../control/control-run.ts";
import type { Uses } from "../ports.ts";

/** Runs that are deleted together. */
const pageSize = 50;

type Deletion = DeleteDeps & Uses<"accounts" | "removal">;

/** `complete`: nothing of the organization is left. Otherwise, another call continues. `runs`: deleted by this call. */
export interface OrganizationDeletion {
  complete: boolean;
  runs: number;
}

/**
 * Ends all runs of an organization and deletes everything about it: runs, files, agents with their versions, keys and
 * trials, webhooks, deliveries, usage. What operators did stays in the audit. The keys end first, before anything is deleted.
 * - `name`: the organization's name, as a confirmation.
 * - Ends after about `milliseconds`, between two pages of runs. Another call continues; one machine does so by itself.
 */
export async function deleteOrganization(
  deps: Deletion,
  organizationId: string,
  { name, milliseconds }: { name: string; milliseconds: number },
): Promise<OrganizationDeletion> {
  const { accounts, removal, actor, now } = deps;
  const organization = await findOrganization(accounts, organizationId);
  const { id } = organization;
  requireName(organization.name, name);
  const deadline = now() + milliseconds;
  if (!organization.deleting) await beginDeletion(accounts, id, actor);
  let runs = 0;
  const agents = await accounts.listAgents(id);
  for (const agent of agents) {
    if (agent.status === "deleted") continue;
    if (now() >= deadline) return { complete: false, runs };
    await endKeys(accounts, agent); // first: a call after an interruption passes over deleted agents
    await deleteAgent(accounts, agent.id);
  }
  for (const agent of agents) {
    for (;;) {
      const page = await deps.runs.list({ agentIds: [agent.id], limit: pageSize });
      if (page.runs.length === 0) break;
      if (now() >= deadline) return { complete: false, runs };
      runs += await removeRuns(
        deps,
        page.runs.map((run) => run.id),
      );
    }
    await deps.companions.deleteTrials(deps, agent.id);
    await removal.removeAgent(agent.id);
  }
  const { actor: begunBy = actor } = organization.deleting ?? {};
  await removal.removeOrganization(id, along(begunBy, "org.deleted", id, now(), { organizationId: id }));
  return { complete: true, runs };
}

/** Continues deletions of organizations that were interrupted. */
export async function resumeOrganizationDeletions(deps: Deletion): Promise<void> {
  for (const { id, name, deleting } of await deps.accounts.listOrganizations()) {
    if (!deleting) continue;
    await deleteOrganization(deps, id, { name, milliseconds: Infinity }).catch((error: unknown) => {
      log("error", "an organization could not be deleted; retrying later", { organizationId: id, error });
    });
  }
}

function requireName(name: string, given: string): void {
  if (given === name) return;
  const message = `the name ${JSON.stringify(given)} does not confirm the deletion; send the organization's name, ${JSON.stringify(name)}`;
  throw new ServiceError("invalid_argument", message);
}

/** A list on AWS can still show runs that are gone. Resolves with the number of those that were not. */
async function removeRuns(deps: Deletion, ids: string[]): Promise<number> {
  const { actor: _actor, ...unaudited } = keepingCopies(deps); // the suites are deleted with their agent
  const removed = await Promise.all(
    ids.map(async (id) => {
      try {
        await deleteRun(unaudited, id);
        return true;
      } catch (error) {
        if (error instanceof ServiceError && error.code === "run_not_found") return false;
        throw error;
      }
    }),
  );
  await deps.removal.removeRuns(ids);
  return removed.filter(Boolean).length;
}

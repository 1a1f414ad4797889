import { greatestRole, limitedTo, roleIn } from "../accounts/access.ts";
import { findAgent } from "../accounts/agents/agents.ts";
import { findKey } from "../accounts/keys.ts";
import type { OperatorPrincipal } from "../accounts/operators.ts";
import { findOrganization } from "../accounts/organizations.ts";
import { findRunHead } from "../runs/read/find-run.ts";
import type { Stores } from "../runs/ports.ts";
import type { Run } from "../runs/run-types.ts";
import { findDelivery } from "../deliveries/resend-delivery.ts";
import { findTrial } from "../trials/find-trial.ts";
import type { Trials } from "../trials/ports.ts";
import { trialOf } from "../trials/trial-id.ts";
import type { ManageOperation } from "./contract/operations/operation.ts";
import { manageError } from "./manage-errors.ts";

/** Throws if an operator has nowhere the role that an operation requires, or not in all organizations if it requires that. */
export function authorize(operator: OperatorPrincipal, { role, service }: ManageOperation): void {
  if (service && limitedTo(operator) !== undefined) {
    throw manageError("forbidden", "This needs a role in all organizations. Ask an operator who has one.");
  }
  const own = service ? roleIn(operator, null) : greatestRole(operator);
  if (role === "operator" && own !== "operator") throw manageError("forbidden");
}

/** The stores in which the organization of what a request names is found. */
export type OwnerStores = Pick<Stores, "accounts" | "runs" | "deliveries"> & { trials: Trials };

/** Validated values of a request, or of an object in its body. Each id that one contains is named here by its kind. */
type Named = Partial<
  Record<"organization_id" | "agent_id" | "key_id" | "run_id" | "other_run_id" | "delivery_id" | "trial_id", string>
>;

/** Objects in bodies that contain ids, besides those of the body itself. */
interface NamedWithin extends Named {
  runs?: Named[];
  cases?: Named[];
  judge?: Named;
  more_agent_ids?: string[];
}

/** The objects in a body that contain ids. */
function namedWithin({ runs = [], cases = [], judge = {}, more_agent_ids: agents = [] }: NamedWithin): Named[] {
  return [...runs, ...cases, judge, ...agents.map((agent_id) => ({ agent_id }))];
}

/**
 * Returns a function that checks the role in the organization of everything that a request names. It rejects as for an
 * unknown id where the operator has none, and with 403 where the operation requires a greater one. For an operator who is
 * not limited to organizations and has the operation's role, it reads nothing.
 */
export function callAuthorization(stores: OwnerStores) {
  return async (operator: OperatorPrincipal, { role }: ManageOperation, request: NamedWithin): Promise<void> => {
    const everywhere = roleIn(operator, null);
    if (everywhere === "operator" || everywhere === role) return;
    const visible = visibleStores(stores, operator);
    const check = async (named: Named): Promise<void> => {
      const owners = await ownersOf(named, visible);
      if (role === "operator" && owners.some((owner) => roleIn(operator, owner) !== "operator")) {
        throw manageError(
          "forbidden",
          "You may only read in this organization. Ask an operator for the role operator.",
        );
      }
    };
    await check(request); // before what is within it: a viewer does not learn whether that exists
    await Promise.all(namedWithin(request).map(check));
  };
}

type Visible = Pick<Stores, "accounts"> & {
  runs: Pick<Stores["runs"], "head">;
  deliveries: Pick<Stores["deliveries"], "find">;
  trials: Pick<Trials, "find">;
};

/** The organizations of what a request names. Rejects for what does not exist. */
function ownersOf(
  { organization_id, agent_id, key_id, run_id, other_run_id, delivery_id, trial_id }: Named,
  { accounts, runs, deliveries, trials }: Visible,
): Promise<string[]> {
  const owned = [
    agent_id !== undefined && findAgent(accounts, agent_id),
    key_id !== undefined && findKey(accounts, key_id),
    run_id !== undefined && findRunHead(runs, run_id),
    other_run_id !== undefined && findRunHead(runs, other_run_id),
    delivery_id !== undefined && findDelivery(deliveries, delivery_id),
    trial_id !== undefined && findTrial(trials, trial_id),
  ].filter((found) => found !== false);
  const organization = organization_id === undefined ? [] : [findOrganization(accounts, organization_id)];
  return Promise.all([
    ...owned.map(async (found) => (await found).organizationId),
    ...organization.map(async (found) => (await found).id),
  ]);
}

/** Stores in which an operator finds only what belongs to organizations in which it has a role. */
function visibleStores({ accounts, runs, deliveries, trials }: OwnerStores, operator: OperatorPrincipal): Visible {
  const sees = (organizationId: string): boolean => roleIn(operator, organizationId) !== undefined;
  const seen = <Owned extends { organizationId: string }>(found: Owned | undefined) =>
    found && sees(found.organizationId) ? found : undefined;
  /** A run of a trial belongs to no organization: who sees the trial sees its runs. */
  const withOwner = async (run: Run | undefined): Promise<Run | undefined> => {
    const trialId = run && trialOf(run);
    if (trialId === undefined) return run;
    const trial = await trials.find(trialId);
    return run && trial && { ...run, organizationId: trial.organizationId };
  };
  return {
    accounts: {
      ...accounts,
      findOrganization: async (id) => (sees(id) ? accounts.findOrganization(id) : undefined),
      findAgent: async (id) => seen(await accounts.findAgent(id)),
      findKey: async (hash) => seen(await accounts.findKey(hash)),
    },
    runs: { head: async (id) => seen(await withOwner(await runs.head(id))) },
    deliveries: { find: async (id) => seen(await deliveries.find(id)) },
    trials: { find: async (id) => seen(await trials.find(id)) },
  };
}

import { stopOf } from "../accounts/model-stop.ts";
import type { Accounts, Organization } from "../accounts/types.ts";
import type { Failure, Model } from "../agent/model.ts";

/** Milliseconds between two checks of a turn. A stop takes effect after so long at most, with the next model call. */
const betweenChecks = 5_000;

/**
 * Returns a function that keeps the calls of a model from beginning while those of the organization are stopped. `read`: the
 * organization, if the turn has read it, and when it began to. Otherwise the first check begins at once, beside what the turn opens.
 */
export function stoppable(
  { accounts, now }: { accounts: Pick<Accounts, "findOrganization">; now: () => number },
  organizationId: string,
  read: { organization: Organization; at: number } | undefined,
): (model: Model) => Model {
  const check = async (): Promise<string | undefined> => stopOf(await accounts.findOrganization(organizationId));
  let checking = read ? Promise.resolve(stopOf(read.organization)) : check();
  if (!read) checking.catch(() => {}); // reported by the first call
  let checkedAt = read?.at ?? now();
  return (model) => async (request) => {
    if (now() - checkedAt >= betweenChecks) [checking, checkedAt] = [check(), now()];
    const stop = await checking;
    return stop === undefined ? await model(request) : { failure: stopped(stop) };
  };
}

function stopped(title: string): Failure {
  const remedy = "Resume the model calls (admin org resume-models), then retry the run (admin run retry).";
  return { category: "model_configuration", title, remedy, retryable: false };
}

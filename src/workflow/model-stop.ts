import { stopOf } from "../accounts/model-stop.ts";
import type { Accounts, Organization } from "../accounts/account-types.ts";
import type { Failure, Model } from "../agent/model.ts";

/** Milliseconds between two checks of a turn. A stop takes effect after so long at most, with the next model call. */
const betweenChecks = 5_000;

/**
 * Returns a function that keeps the calls of a model from beginning while those of the organization are stopped. `first`: the
 * organization, whose read has just begun.
 */
export function stoppable(
  { accounts, now }: { accounts: Pick<Accounts, "findOrganization">; now: () => number },
  organizationId: string,
  first: Promise<Organization | undefined>,
): (model: Model) => Model {
  let reading = first;
  let checkedAt = now();
  return (model) => async (request) => {
    if (now() - checkedAt >= betweenChecks) [reading, checkedAt] = [accounts.findOrganization(organizationId), now()];
    const stop = stopOf(await reading);
    return stop === undefined ? await model(request) : { failure: stopped(stop) };
  };
}

function stopped(title: string): Failure {
  const remedy = "Resume the model calls (admin org resume-models), then retry the run (admin run retry).";
  return { category: "model_configuration", title, remedy, retryable: false };
}

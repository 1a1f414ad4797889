import { stopOf } from "../accounts/model-stop.ts";
import type { Accounts } from "../accounts/types.ts";
import type { Failure, Model } from "../agent/model.ts";

/** Milliseconds between two looks of a turn. A stop takes effect after so long at most, with the next model call. */
const betweenLooks = 5_000;

/**
 * Returns a function that keeps the calls of a model from beginning while those of the organization are stopped. The first look
 * begins at once, beside what a turn opens.
 */
export function stoppable(
  { accounts, now }: { accounts: Pick<Accounts, "findOrganization">; now: () => number },
  organizationId: string,
): (model: Model) => Model {
  const read = async (): Promise<string | undefined> => stopOf(await accounts.findOrganization(organizationId));
  let look = read();
  look.catch(() => {}); // reported by the first call
  let lookedAt = now();
  return (model) => async (request) => {
    if (now() - lookedAt >= betweenLooks) [look, lookedAt] = [read(), now()];
    const stop = await look;
    return stop === undefined ? model(request) : { failure: stopped(stop) };
  };
}

function stopped(title: string): Failure {
  const remedy = "Resume the model calls (admin org resume-models), then retry the run (admin run retry).";
  return { category: "model_configuration", title, remedy, retryable: false };
}

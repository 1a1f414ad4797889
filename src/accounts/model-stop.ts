import { ServiceError } from "../errors.ts";
import type { Actor } from "./audit.ts";
import { modifyOrganization } from "./organizations.ts";
import type { Accounts, Organization } from "./account-types.ts";

/** Stops the model calls of an organization, or lets them begin again. A stop of stopped ones keeps the time of the first. */
export function setModelsStopped(
  accounts: Accounts,
  id: string,
  stopped: boolean,
  actor?: Actor,
): Promise<Organization> {
  const action = stopped ? "org.stop-models" : "org.resume-models";
  return modifyOrganization(accounts, id, actor, action, ({ modelsStopped: before, ...organization }) =>
    stopped ? { ...organization, modelsStopped: before ?? { at: Date.now() } } : organization,
  );
}

/** Why no model call of the organization may begin, as a sentence. Undefined: they may. */
export function stopOf(organization: Pick<Organization, "modelsStopped"> | undefined): string | undefined {
  const { modelsStopped } = organization ?? {};
  if (!modelsStopped) return undefined;
  return `The organization's model calls were stopped at ${new Date(modelsStopped.at).toISOString()}; an operator can resume them.`;
}

/** Throws `no_model` while the organization's model calls are stopped. */
export function requireModelsRunning(organization: Organization | undefined): void {
  const stop = stopOf(organization);
  if (stop !== undefined) throw new ServiceError("no_model", stop);
}

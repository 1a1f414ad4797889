import { trialOf } from "../trials/trial-id.ts";
import type { ManageDeps } from "./deps.ts";

/** The runs, with changes that the audit has in the organization of a trial: its runs belong to none. */
export function auditedRuns({ runs, trials }: Pick<ManageDeps, "runs" | "trials">): ManageDeps["runs"] {
  return {
    ...runs,
    async change(change) {
      const { audit } = change;
      const trialId =
        audit?.organizationId === undefined ? undefined : trialOf({ organizationId: audit.organizationId });
      const trial = trialId === undefined ? undefined : await trials.find(trialId);
      if (!audit || !trial) return runs.change(change);
      return runs.change({ ...change, audit: { ...audit, organizationId: trial.organizationId } });
    },
  };
}

import { SFNClient } from "@aws-sdk/client-sfn";
import { type AdmissionDeps, tryStartWaiting } from "../../../runs/admission.ts";
import { type ClientSettings, tuned } from "../sdk/clients.ts";
import { awsWorkflow } from "../workflow.ts";

/**
 * Returns a function that starts the next waiting runs of an organization. A file apart from `clients.ts`, for `advance`:
 * it loads the Step Functions client only when a run with a quota has ended.
 */
export function nextStarter(
  settings: ClientSettings,
  deps: Omit<AdmissionDeps, "workflow">,
  stateMachineArn: string,
): (organizationId: string) => Promise<number> {
  const workflow = awsWorkflow({ sfn: new SFNClient(tuned(settings, 5_000)), stateMachineArn });
  return (organizationId) => tryStartWaiting({ ...deps, workflow }, organizationId);
}

import type { Construct } from "constructs";
import type { Settings } from "./settings.ts";

/** CDK context: names of the stacks that are deployed for the first time, separated by commas. */
export const firstDeploymentKey = "agent-run-service:first-deployment";

/**
 * Whether CloudFormation refuses to delete the stack. `npm run deploy` protects a new stack after its first deployment:
 * a failed one leaves a stack that the next deployment has to delete.
 */
export function terminationProtection(app: Construct, stackName: string, { removal }: Settings): boolean {
  const first = String(app.node.tryGetContext(firstDeploymentKey) ?? "").split(",");
  return removal === "retain" && !first.includes(stackName);
}

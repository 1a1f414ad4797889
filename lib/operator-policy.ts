import { Stack } from "aws-cdk-lib";
import { ManagedPolicy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { acknowledgeWildcard } from "./service-function.ts";
import { modelSecrets } from "./model-permissions.ts";
import { allowDescribeStacks } from "./describe-stack.ts";
import { changeItems, changeObjects, viewItems } from "./operator-permissions.ts";
import { frontDoorStackName } from "./outputs.ts";
import type { Storage } from "./storage.ts";
import type { Workflow } from "./workflow.ts";

/**
 * Permissions for `npm run admin -- --stack` and `npm run console -- --stack`. The deployment does not attach it to any user
 * or role.
 */
export function operatorPolicy(
  stack: Stack,
  stage: string,
  { storage, workflow }: { storage: Storage; workflow: Workflow },
) {
  const executions = workflow.executionsArn;
  const secrets = modelSecrets(stack, stage);
  const policy = new ManagedPolicy(stack, "OperatorPolicy", {
    description: `Operates ${stack.stackName} with npm run admin -- --stack`, // a change would replace the policy
    statements: [
      ...storage.itemStatements([...viewItems, ...changeItems]),
      ...storage.objectStatements(changeObjects),
      storage.listStatement(),
      { actions: ["states:StartExecution"], resources: [workflow.stateMachine.stateMachineArn] },
      { actions: ["states:StopExecution"], resources: [executions.arn] },
      { actions: ["secretsmanager:DescribeSecret"], resources: [secrets.arn] },
    ].map((statement) => new PolicyStatement(statement)),
  });
  storage.acknowledgeObjects(policy, changeObjects);
  acknowledgeWildcard(
    policy,
    executions.inFindings,
    "Execution names contain run ids, so they cannot be listed in advance.",
  );
  acknowledgeWildcard(policy, secrets.inFindings, secrets.reason);
  allowDescribeStacks(policy, stack, stack.stackName, frontDoorStackName(stage));
  return policy;
}

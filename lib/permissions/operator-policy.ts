import { Stack } from "aws-cdk-lib";
import { ManagedPolicy, type PolicyStatementProps, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { acknowledgeWildcard } from "../service-function.ts";
import { modelSecrets } from "./model-permissions.ts";
import { allowDescribeStacks } from "./describe-stack.ts";
import { changeItems, changeObjects, viewItems, viewObjects } from "./operator-permissions.ts";
import { frontDoorStackName } from "../outputs.ts";
import type { ObjectPermissions, Storage } from "../storage.ts";
import type { Workflow } from "../workflow.ts";

/**
 * Permissions for `npm run admin -- --stack` and `npm run console -- --stack`. The deployment does not attach it to any user
 * or role.
 */
export function operatorPolicy(
  scope: Construct,
  stage: string,
  { storage, workflow }: { storage: Storage; workflow: Workflow },
): ManagedPolicy {
  const executions = workflow.executionsArn;
  const policy = newPolicy(scope, stage, storage, {
    id: "OperatorPolicy",
    description: `Operates ${Stack.of(scope).stackName} with npm run admin -- --stack`, // a change would replace the policy
    objects: changeObjects,
    statements: [
      ...storage.itemStatements([...viewItems, ...changeItems]),
      { actions: ["states:StartExecution"], resources: [workflow.stateMachine.stateMachineArn] },
      { actions: ["states:StopExecution"], resources: [executions.arn] },
    ],
  });
  acknowledgeWildcard(
    policy,
    executions.inFindings,
    "Execution names contain run ids, so they cannot be listed in advance.",
  );
  return policy;
}

/** The part of `operatorPolicy` that reads: for `npm run console -- --read-only`, and commands that list and show. */
export function viewerPolicy(scope: Construct, stage: string, storage: Storage): ManagedPolicy {
  return newPolicy(scope, stage, storage, {
    id: "ViewerPolicy",
    description: `Views ${Stack.of(scope).stackName} with npm run console -- --stack --read-only`, // a change would replace the policy
    objects: viewObjects,
    statements: storage.itemStatements(viewItems),
  });
}

interface PolicyParts {
  id: string;
  description: string;
  statements: PolicyStatementProps[];
  objects: ObjectPermissions;
}

/** A policy with what operators and viewers have in common. */
function newPolicy(scope: Construct, stage: string, storage: Storage, parts: PolicyParts): ManagedPolicy {
  const stack = Stack.of(scope);
  const secrets = modelSecrets(stack, stage);
  const policy = new ManagedPolicy(scope, parts.id, {
    description: parts.description,
    statements: [
      ...parts.statements,
      ...storage.objectStatements(parts.objects),
      storage.listStatement(),
      { actions: ["secretsmanager:DescribeSecret"], resources: [secrets.arn] },
    ].map((statement) => new PolicyStatement(statement)),
  });
  storage.acknowledgeObjects(policy, parts.objects);
  acknowledgeWildcard(policy, secrets.inFindings, secrets.reason);
  allowDescribeStacks(policy, stack, stack.stackName, frontDoorStackName(stage));
  return policy;
}

import { Stack } from "aws-cdk-lib";
import { ManagedPolicy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { listIndex, runningIndex } from "../src/platform/aws/table.ts";
import { acknowledgeWildcard } from "./service-function.ts";
import { modelSecrets } from "./model-permissions.ts";
import type { ObjectPermissions, Storage } from "./storage.ts";
import type { Workflow } from "./workflow.ts";

/** Permissions for `npm run admin -- --stack`. The deployment does not attach it to any user or role. */
export function operatorPolicy(
  stack: Stack,
  stage: string,
  { storage, workflow }: { storage: Storage; workflow: Workflow },
) {
  const objects: ObjectPermissions = {
    read: ["workspaces", "texts"],
    write: ["texts"],
    remove: ["workspaces", "texts"],
  };
  const executions = workflow.executionsArn;
  const secrets = modelSecrets(stack, stage);
  // DescribeStacks by name requires permission for every id of that name.
  const thisStack = stack.formatArn({
    service: "cloudformation",
    resource: "stack",
    resourceName: `${stack.stackName}/*`,
  });
  const policy = new ManagedPolicy(stack, "OperatorPolicy", {
    description: `Operates ${stack.stackName} with npm run admin -- --stack`, // a change would replace the policy
    statements: [
      { actions: ["cloudformation:DescribeStacks"], resources: [thisStack] },
      ...storage.itemStatements([
        { kinds: ["ORG", "AGENT", "KEY", "CONFIG", "OPERATORS"], actions: ["GetItem"] },
        // One statement, because a transaction writes a record or a run together with its audit entry and its counts.
        {
          kinds: ["ORG", "AGENT", "KEY", "RUN", "COUNT", "AUDIT", "OPERATORS"],
          actions: ["PutItem", "UpdateItem", "ConditionCheckItem"],
        },
        { kinds: ["RUN"], actions: ["Query", "DeleteItem"] },
        { kinds: ["AGENT", "AUDIT", "COUNT", "OPERATORS"], actions: ["Query"] },
        { kinds: ["WAITING"], actions: ["Query"], index: runningIndex.name },
        { kinds: ["ORGS", "AGENTS", "KEYS", "RUNS"], actions: ["Query"], index: listIndex.name },
      ]),
      ...storage.objectStatements(objects),
      storage.listStatement(),
      { actions: ["states:StartExecution"], resources: [workflow.stateMachine.stateMachineArn] },
      { actions: ["states:StopExecution"], resources: [executions.arn] },
      { actions: ["secretsmanager:DescribeSecret"], resources: [secrets.arn] },
    ].map((statement) => new PolicyStatement(statement)),
  });
  storage.acknowledgeObjects(policy, objects);
  acknowledgeWildcard(
    policy,
    executions.inFindings,
    "Execution names contain run ids, so they cannot be listed in advance.",
  );
  acknowledgeWildcard(policy, secrets.inFindings, secrets.reason);
  acknowledgeWildcard(
    policy,
    `arn:<AWS::Partition>:cloudformation:<AWS::Region>:<AWS::AccountId>:stack/${stack.stackName}/*`,
    "The wildcard is the id of this one stack, which changes when the stack is recreated.",
  );
  return policy;
}

import { Stack } from "aws-cdk-lib";
import { ManagedPolicy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { listIndex } from "../src/platform/aws/table.ts";
import { acknowledgeWildcard } from "./service-function.ts";
import { modelSecrets } from "./model-permissions.ts";
import type { ObjectRights, Storage } from "./storage.ts";
import type { Workflow } from "./workflow.ts";

/** What `npm run admin -- --stack` needs, for the people who operate the service; attached to nobody yet. */
export function operatorPolicy(stack: Stack, { storage, workflow }: { storage: Storage; workflow: Workflow }) {
  const objects: ObjectRights = { read: ["workspaces", "texts"], write: ["texts"], remove: ["workspaces", "texts"] };
  const executions = workflow.executionsArn;
  const secrets = modelSecrets(stack);
  // Whoever names a stack and not its id asks for all ids of that name.
  const thisStack = stack.formatArn({
    service: "cloudformation",
    resource: "stack",
    resourceName: `${stack.stackName}/*`,
  });
  const policy = new ManagedPolicy(stack, "OperatorPolicy", {
    description: `Operates ${stack.stackName} with npm run admin -- --stack`,
    statements: [
      { actions: ["cloudformation:DescribeStacks"], resources: [thisStack] },
      ...storage.itemStatements([
        { kinds: ["ORG", "AGENT", "KEY"], actions: ["GetItem", "PutItem"] },
        { kinds: ["RUN"], actions: ["Query", "PutItem", "UpdateItem", "DeleteItem"] },
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
  acknowledgeWildcard(policy, executions.inFindings, "An execution is named after its run: there is no list of them.");
  acknowledgeWildcard(policy, secrets.inFindings, secrets.reason);
  acknowledgeWildcard(
    policy,
    `arn:<AWS::Partition>:cloudformation:<AWS::Region>:<AWS::AccountId>:stack/${stack.stackName}/*`,
    "The id of this one stack, which is new whenever it is made again.",
  );
  return policy;
}

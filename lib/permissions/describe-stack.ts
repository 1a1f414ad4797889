import type { Stack } from "aws-cdk-lib";
import { type ManagedPolicy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { acknowledgeWildcard } from "../service-function.ts";

/** Lets a policy's users read the outputs of these stacks. DescribeStacks by name needs every id of that name. */
export function allowDescribeStacks(policy: ManagedPolicy, stack: Stack, ...names: string[]): void {
  const resources = names.map((name) =>
    stack.formatArn({ service: "cloudformation", resource: "stack", resourceName: `${name}/*` }),
  );
  policy.addStatements(new PolicyStatement({ actions: ["cloudformation:DescribeStacks"], resources }));
  for (const name of names) {
    acknowledgeWildcard(
      policy,
      `arn:<AWS::Partition>:cloudformation:<AWS::Region>:<AWS::AccountId>:stack/${name}/*`,
      "The wildcard is the id of this one stack, which changes when the stack is recreated.",
    );
  }
}

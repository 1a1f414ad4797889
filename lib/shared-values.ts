import type { CfnOutput, Stack } from "aws-cdk-lib";
import { StringParameter } from "aws-cdk-lib/aws-ssm";

/**
 * Outputs of one stack for another, passed through Systems Manager parameters. CloudFormation exports would lock the first
 * stack: a value in use cannot change, and the stack could not outlive the other.
 */
export function sharedValues<Name extends string>(
  from: Stack,
  to: Stack,
  stage: string,
  names: readonly Name[],
): Record<Name, string> {
  to.addStackDependency(from);
  const entries = names.map((name) => {
    const id = `${name}Parameter`;
    const parameterName = `/agent-run-service/${stage}/${name}`;
    const { value } = from.node.findChild(name) as CfnOutput;
    if (!from.node.tryFindChild(id)) new StringParameter(from, id, { parameterName, stringValue: String(value) });
    return [name, StringParameter.valueForStringParameter(to, parameterName)];
  });
  return Object.fromEntries(entries) as Record<Name, string>;
}

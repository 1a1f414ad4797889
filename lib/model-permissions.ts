import { ArnFormat, Aws, Stack } from "aws-cdk-lib";
import type { PolicyStatementProps } from "aws-cdk-lib/aws-iam";
import type { Function } from "aws-cdk-lib/aws-lambda";
import { secretPrefix } from "../src/platform/aws/table.ts";
import { acknowledgeWildcard, grant } from "./service-function.ts";

/** The function may read the API keys of model providers, and call these models on Amazon Bedrock and no others. */
export function grantModels(fn: Function, bedrockModels: string[]): void {
  const secrets = modelSecrets(fn.stack);
  grant(fn, {}, { actions: ["secretsmanager:GetSecretValue"], resources: [secrets.arn] });
  acknowledgeWildcard(fn.role ?? fn, secrets.inFindings, secrets.reason);
  if (bedrockModels.length === 0) return;
  grant(fn, {}, bedrockStatement(fn, bedrockModels));
}

/** Secrets with an API key of a model provider, as Secrets Manager names them: six random characters follow a name. */
export function modelSecrets(stack: Stack): { arn: string; inFindings: string; reason: string } {
  return {
    arn: stack.formatArn({
      service: "secretsmanager",
      resource: "secret",
      resourceName: `${secretPrefix}*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    }),
    inFindings: `arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:${secretPrefix}*`,
    reason: "Organizations bring keys of their own, made after the deployment; the prefix is for nothing else.",
  };
}

/** An inference profile (`eu.…`) hands a request on to its model in any region of its geography: both are named. */
function bedrockStatement(fn: Function, models: string[]): PolicyStatementProps {
  const resources = models.flatMap((model) => {
    const [, , foundation] = /^(us|eu|apac|jp|au|ca|sa|us-gov|global)\.(.+)$/.exec(model) ?? [];
    if (foundation === undefined) return [inAnyRegion(model)];
    return [`arn:${Aws.PARTITION}:bedrock:*:${Aws.ACCOUNT_ID}:inference-profile/${model}`, inAnyRegion(foundation)];
  });
  for (const resource of resources) {
    const inFindings = resource.replace(Aws.PARTITION, "<AWS::Partition>").replace(Aws.ACCOUNT_ID, "<AWS::AccountId>");
    acknowledgeWildcard(
      fn.role ?? fn,
      inFindings,
      "An organization names the region of its model, and a profile serves several.",
    );
  }
  return { actions: ["bedrock:InvokeModelWithResponseStream"], resources };
}

function inAnyRegion(model: string): string {
  return `arn:${Aws.PARTITION}:bedrock:*::foundation-model/${model}`;
}

import { ArnFormat, Aws, Stack } from "aws-cdk-lib";
import type { PolicyStatementProps } from "aws-cdk-lib/aws-iam";
import type { Function } from "aws-cdk-lib/aws-lambda";
import { secretPrefixOf } from "../../src/platform/aws/dynamodb/table.ts";
import { acknowledgeWildcard, grant } from "../service-function.ts";
import type { Settings } from "../settings.ts";

/** Lets the function read the organizations' secrets and call these Amazon Bedrock models. */
export function grantModels(fn: Function, { stage, bedrockModels }: Settings): void {
  const secrets = modelSecrets(fn.stack, stage);
  grant(
    fn,
    { SECRET_PREFIX: secretPrefixOf(stage) },
    { actions: ["secretsmanager:GetSecretValue"], resources: [secrets.arn] },
  );
  acknowledgeWildcard(fn.role ?? fn, secrets.inFindings, secrets.reason);
  if (bedrockModels.length === 0) return;
  grant(fn, {}, bedrockStatement(fn, bedrockModels));
}

/** The secrets of all organizations of a stage. Secrets Manager appends six random characters to each name. */
export function modelSecrets(stack: Stack, stage: string): { arn: string; inFindings: string; reason: string } {
  const prefix = secretPrefixOf(stage);
  return {
    arn: stack.formatArn({
      service: "secretsmanager",
      resource: "secret",
      resourceName: `${prefix}*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    }),
    inFindings: `arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:${prefix}*`,
    reason: "Operators create these secrets after the deployment. Only this deployment's organizations use the prefix.",
  };
}

/** An inference profile (`eu.…`) routes requests to its model in any region of its geography. Both need permission. */
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
      "Each organization chooses the region of its model, and a profile uses several regions.",
    );
  }
  return { actions: ["bedrock:InvokeModelWithResponseStream"], resources };
}

function inAnyRegion(model: string): string {
  return `arn:${Aws.PARTITION}:bedrock:*::foundation-model/${model}`;
}

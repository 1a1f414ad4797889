import { join } from "node:path";
import { Aspects, CfnCondition, Fn } from "aws-cdk-lib";
import { CfnManagedLoginBranding } from "aws-cdk-lib/aws-cognito";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { serviceApp } from "../../lib/service-app.ts";
import { acknowledgeWildcard } from "../../lib/service-function.ts";
import { replaceFormulas } from "./emulated-alarms.ts";
import { functionUrl } from "./environment-function.ts";

// The CDK app as it is deployed to MiniStack, whose CloudFormation does not know the style of Cognito's sign-in page:
// test/infra/console.test.ts asserts it.
const { app } = serviceApp();
Aspects.of(app).add({
  visit(node) {
    if (node instanceof CfnManagedLoginBranding) {
      const expression = Fn.conditionEquals("MiniStack", "AWS");
      node.cfnOptions.condition = new CfnCondition(node, "IsKnown", { expression });
    }
    if (node instanceof LambdaFunction && node.node.id === "SendDelivery") adaptSender(node);
    const url = process.env[functionUrl];
    if (url !== undefined && node instanceof LambdaFunction && node.node.id === "Environment-linux") {
      node.addEnvironment("MINISTACK_LAMBDA_PROXY_URL", url);
    }
  },
});
replaceFormulas(app);

/** Webhooks reach the test's receivers on this machine. MiniStack checks schedules as if all were in the group `default`. */
function adaptSender(send: LambdaFunction): void {
  send.addEnvironment("PRIVATE_ADDRESSES", "allowed");
  send.addEnvironment("NODE_OPTIONS", `--require=${join(import.meta.dirname, "receiver-route.cjs")}`);
  const resource = "arn:aws:scheduler:us-east-1:000000000000:schedule/default/*";
  send.addToRolePolicy(new PolicyStatement({ actions: ["scheduler:CreateSchedule"], resources: [resource] }));
  acknowledgeWildcard(send.role ?? send, resource, "Only in this test, where no other schedules exist.");
}

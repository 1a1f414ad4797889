import { Aspects, CfnCondition, Fn } from "aws-cdk-lib";
import { CfnAlarm } from "aws-cdk-lib/aws-cloudwatch";
import { CfnManagedLoginBranding } from "aws-cdk-lib/aws-cognito";
import { serviceApp } from "../../lib/service-app.ts";

// The CDK app as it is deployed to MiniStack, whose CloudFormation rejects alarms on formulas and queries: each such
// alarm gets a placeholder metric. test/infra/alarms.test.ts asserts the formulas. It does not know the style of Cognito's
// sign-in page either, which test/infra/console.test.ts asserts.
const { app } = serviceApp();
Aspects.of(app).add({
  visit(node) {
    if (node instanceof CfnManagedLoginBranding) {
      const expression = Fn.conditionEquals("MiniStack", "AWS");
      node.cfnOptions.condition = new CfnCondition(node, "IsKnown", { expression });
    }
    if (!(node instanceof CfnAlarm) || node.metrics === undefined) return;
    node.addPropertyDeletionOverride("Metrics");
    for (const [name, value] of Object.entries({
      Namespace: "Test",
      MetricName: "Placeholder",
      Statistic: "Sum",
      Period: 300,
    })) {
      node.addPropertyOverride(name, value);
    }
  },
});

import { Aspects } from "aws-cdk-lib";
import { CfnAlarm } from "aws-cdk-lib/aws-cloudwatch";
import { serviceApp } from "../../lib/service-app.ts";

// The CDK app as it is deployed to MiniStack, whose CloudFormation rejects alarms on formulas and queries: each such
// alarm gets a placeholder metric. test/infra/alarms.test.ts asserts the formulas.
const { app } = serviceApp();
Aspects.of(app).add({
  visit(node) {
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

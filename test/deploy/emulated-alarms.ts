import { Aspects } from "aws-cdk-lib";
import { CfnAlarm } from "aws-cdk-lib/aws-cloudwatch";
import type { IConstruct } from "constructs";

/**
 * MiniStack's CloudFormation rejects alarms on formulas and queries: each such alarm below `scope` gets a placeholder metric.
 * test/infra/alarms.test.ts asserts the formulas.
 */
export function replaceFormulas(scope: IConstruct): void {
  Aspects.of(scope).add({
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
}

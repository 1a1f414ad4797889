import { Aws, Stack } from "aws-cdk-lib";
import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import type { Construct } from "constructs";

/**
 * An AWS budget: emails when the account's cost of the month is expected to exceed it, and when it has. It covers the
 * whole account: AWS attributes cost to a stack only by tags that an administrator activates for billing. Models of
 * other providers are not included.
 */
export function newBudget(scope: Construct, dollars: number, email: string): CfnBudget {
  const subscribers = [{ subscriptionType: "EMAIL", address: email }];
  const above = { comparisonOperator: "GREATER_THAN", threshold: 100, thresholdType: "PERCENTAGE" };
  return new CfnBudget(scope, "Budget", {
    budget: {
      budgetName: `${Stack.of(scope).stackName}-${Aws.REGION}`,
      budgetType: "COST",
      timeUnit: "MONTHLY",
      budgetLimit: { amount: dollars, unit: "USD" },
    },
    notificationsWithSubscribers: ["FORECASTED", "ACTUAL"].map((notificationType) => ({
      notification: { ...above, notificationType },
      subscribers,
    })),
  });
}

import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Duration } from "aws-cdk-lib";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";

export const alarmPeriod = Duration.minutes(5);

/** Path of the runbook in the repository. */
export const runbook = "docs/operations.md";

/** Runbook chapters that several alarms share. */
const sharedChapters = ["errors", "throttles", "dead-letters"];

export interface AlarmCondition {
  /** What users notice: a sentence without the full stop. */
  symptom: string;
  metric: IMetric;
  above?: number;
  below?: number;
  /** How many of the last periods must breach the threshold. */
  periods?: [alarming: number, evaluated: number];
  missing?: TreatMissingData;
}

/** What the alarms of a deployment have in common. */
export interface AlarmOptions {
  /** Prefix of the alarms' names: the service stack's name, also for the alarms of the front door. */
  stackName: string;
  topic: ITopic;
}

/** Creates an alarm. `name` starts with the name of its runbook chapter. */
export function createAlarm(
  scope: Construct,
  { stackName, topic }: AlarmOptions,
  name: string,
  { symptom, metric, above, below, periods: [alarming, evaluated] = [2, 3], missing }: AlarmCondition,
): Alarm {
  const chapter = sharedChapters.find((each) => name.startsWith(each)) ?? name;
  const alarm = new Alarm(scope, name, {
    alarmName: `${stackName}-${name}`,
    alarmDescription: `${symptom}. Runbook: ${runbook}#${chapter}`,
    metric,
    threshold: above ?? below ?? 0,
    comparisonOperator:
      below === undefined ? ComparisonOperator.GREATER_THAN_THRESHOLD : ComparisonOperator.LESS_THAN_THRESHOLD,
    datapointsToAlarm: alarming,
    evaluationPeriods: evaluated,
    treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
  });
  alarm.addAlarmAction(new SnsAction(topic));
  alarm.addOkAction(new SnsAction(topic));
  return alarm;
}

/** A formula over metrics. AWS bills an alarm for each metric in it. */
export function formula(expression: string, usingMetrics: Record<string, IMetric>): MathExpression {
  return new MathExpression({ expression, usingMetrics, period: alarmPeriod });
}

/** The share of an API's requests that fail with a 5xx status. */
export function failedRequests(api: HttpApi): MathExpression {
  const sum = { period: alarmPeriod, statistic: Stats.SUM };
  // Divided by at least 20, so that a single failure does not alarm. API Gateway may omit periods without failures.
  return formula("FILL(failed, 0) / IF(requests > 20, requests, 20)", {
    failed: api.metricServerError(sum),
    requests: api.metricCount(sum),
  });
}

/**
 * The sum of a metric over all of its dimensions, such as a table and its indexes. `where`: the dimension that all of
 * them have.
 */
export function sumOverDimensions(namespace: string, metric: string, [name, value]: [string, string]): MathExpression {
  return formula(`SELECT SUM(${metric}) FROM "${namespace}" WHERE ${name} = '${value}'`, {});
}

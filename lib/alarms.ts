import { Duration, Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, Metric, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Function } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { dashboard } from "./dashboard.ts";
import { watchedResources, type WatchedResources } from "./watched-resources.ts";

export interface AlarmsProps {
  /** Receives alarm notifications. The recipient confirms the address once, in an email from AWS. */
  alarmEmail?: string | undefined;
}

const period = Duration.minutes(5);
const fifteenMinutes = Duration.minutes(15);

/** Runbook chapters that several alarms share. */
const sharedChapters = ["errors", "throttles", "dead-letters"];

/** The stack's alarms, each with a runbook chapter, and its dashboard. Must be added to the stack last. */
export class Alarms extends Construct {
  readonly #topic: Topic;
  readonly #stackName: string;

  constructor(scope: Construct, id: string, { alarmEmail }: AlarmsProps) {
    super(scope, id);
    const watched = watchedResources(Stack.of(this));
    this.#stackName = watched.stackName;
    this.#topic = this.#createTopic(alarmEmail);
    dashboard(this, watched, this.#createAlarms(watched));
  }

  /** No alarm uses metric math: the deploy test's AWS emulator does not support it. */
  #createAlarms({ api, table, queues, serviceMetric }: WatchedResources): Alarm[] {
    const throttled = "AWS throttles the service: requests may fail with a 5xx status, and runs take longer";
    const tableThrottles = (metricName: string): Metric =>
      new Metric({
        namespace: "AWS/DynamoDB",
        metricName,
        dimensionsMap: { TableName: table.tableName },
        statistic: Stats.SUM,
        period,
      });
    return [
      this.#createAlarm("errors", {
        symptom: "More than 5 % of requests fail with a 5xx status",
        metric: api.metricServerError({ period, statistic: Stats.AVERAGE }), // 0 or 1 per request
        above: 0.05,
      }),
      this.#createAlarm("errors-large", {
        symptom: "More than 5 % of large creates fail with a 5xx status",
        metric: serviceMetric("LargeRequestsFailed", Stats.AVERAGE), // 0 or 1 per request
        above: 0.05,
      }),
      this.#createAlarm("failed-runs", {
        symptom: "More than 20 % of the runs that end have the status technical_error",
        metric: serviceMetric("RunsFailed", Stats.AVERAGE).with({ period: fifteenMinutes }), // 0 or 1 per run that ends
        above: 0.2,
      }),
      this.#createAlarm("stuck-runs", {
        symptom: "The sweep keeps finding orphaned runs: status running without a worker or an execution",
        metric: serviceMetric("RunsStuck", Stats.MAXIMUM),
        above: 0,
      }),
      this.#createAlarm("waiting-runs", {
        symptom: "More than 10 % of runs wait more than a minute before their first step",
        metric: serviceMetric("QueueTime", "p90"),
        above: 60_000,
      }),
      // All functions in the region, because they share the quota.
      this.#createAlarm("throttles", {
        symptom: throttled,
        metric: Function.metricAllThrottles({ period }),
        above: 10,
      }),
      this.#createAlarm("throttles-reads", {
        symptom: throttled,
        metric: tableThrottles("ReadThrottleEvents"),
        above: 10,
      }),
      this.#createAlarm("throttles-writes", {
        symptom: throttled,
        metric: tableThrottles("WriteThrottleEvents"),
        above: 10,
      }),
      ...queues.map((queue, index) =>
        this.#createAlarm(index === 0 ? "dead-letters" : `dead-letters-${index + 1}`, {
          symptom: "A workflow event could not be processed, so a run may end late",
          metric: queue.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM }),
          above: 0,
          periods: [1, 1],
        }),
      ),
      this.#createAlarm("sweep-not-running", {
        symptom: "The sweep does not run, so orphaned runs are not detected",
        metric: serviceMetric("RunsRunning", Stats.SAMPLE_COUNT).with({ period: fifteenMinutes }), // one per sweep
        below: 1,
        periods: [1, 1],
        missing: TreatMissingData.BREACHING,
      }),
    ];
  }

  /** `name` starts with the name of its runbook chapter. */
  #createAlarm(
    name: string,
    { symptom, metric, above, below, periods: [alarming, evaluated] = [2, 3], missing }: AlarmCondition,
  ): Alarm {
    const chapter = sharedChapters.find((each) => name.startsWith(each)) ?? name;
    const alarm = new Alarm(this, name, {
      alarmName: `${this.#stackName}-${name}`,
      alarmDescription: `${symptom}. Runbook: docs/operations.md#${chapter}`,
      metric,
      threshold: above ?? below ?? 0,
      comparisonOperator:
        below === undefined ? ComparisonOperator.GREATER_THAN_THRESHOLD : ComparisonOperator.LESS_THAN_THRESHOLD,
      datapointsToAlarm: alarming,
      evaluationPeriods: evaluated,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.#topic));
    alarm.addOkAction(new SnsAction(this.#topic));
    return alarm;
  }

  #createTopic(email: string | undefined): Topic {
    const topic = new Topic(this, "Alarms", { displayName: this.#stackName, enforceSSL: true });
    if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
    // A topic policy replaces the default one, which lets the account's services publish.
    const { account, region, partition } = Stack.of(this);
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: {
          StringEquals: { "aws:SourceAccount": account },
          ArnLike: { "aws:SourceArn": `arn:${partition}:cloudwatch:${region}:${account}:alarm:${this.#stackName}-*` },
        },
      }),
    );
    return topic;
  }
}

interface AlarmCondition {
  /** What users notice: a sentence without the full stop. */
  symptom: string;
  metric: Metric;
  above?: number;
  below?: number;
  /** How many of the last periods must breach the threshold. */
  periods?: [alarming: number, evaluated: number];
  missing?: TreatMissingData;
}

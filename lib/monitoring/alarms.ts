import { Duration, Stack } from "aws-cdk-lib";
import { type Alarm, type IMetric, type Metric, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Function } from "aws-cdk-lib/aws-lambda";
import { FilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import { type ITopic, Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { namespace } from "../../src/observability/metrics.ts";
import {
  type AlarmCondition,
  type AlarmOptions,
  alarmPeriod,
  createAlarm,
  failedRequests,
  formula,
  sumOverDimensions,
} from "./alarm.ts";
import { dashboard } from "./dashboard.ts";
import { watchedResources, type WatchedResources } from "./watched-resources.ts";

export interface AlarmsProps {
  /** Receives alarm notifications. The recipient confirms the address once, in an email from AWS. */
  alarmEmail?: string | undefined;
  /** Receives the notifications, and lets CloudWatch publish. Default: a new topic. */
  topic?: ITopic | undefined;
}

const fifteenMinutes = Duration.minutes(15);

/**
 * Seconds that the oldest delivery has waited in the stream, or in the queue. There it may wait 15 minutes for its next
 * attempt, and 6 after a failed invocation.
 */
function lateDeliveries({ enqueueDelivery, deliveries }: WatchedResources): IMetric {
  const oldest = { period: alarmPeriod, statistic: Stats.MAXIMUM };
  return formula("MAX([FILL(milliseconds, 0) / 1000, FILL(seconds, 0)])", {
    milliseconds: enqueueDelivery.metric("IteratorAge", oldest),
    seconds: deliveries.metricApproximateAgeOfOldestMessage(oldest),
  });
}

/** The service's alarms, each with a runbook chapter, and its dashboard. Must be added to the service last. */
export class Alarms extends Construct {
  /** Receives the notifications. The front door's alarms use it too. */
  readonly topic: ITopic;
  readonly #options: AlarmOptions;

  constructor(scope: Construct, id: string, { alarmEmail, topic }: AlarmsProps) {
    super(scope, id);
    const watched = watchedResources(scope);
    const { stackName } = watched;
    this.topic = topic ?? this.#createTopic(stackName);
    if (alarmEmail !== undefined) this.topic.addSubscription(new EmailSubscription(alarmEmail));
    this.#options = { stackName, topic: this.topic };
    const title =
      alarmEmail === undefined && !topic ? "Alarms (without the setting alarmEmail, no one is notified)" : "Alarms";
    dashboard(this, watched, this.#createAlarms(watched), title);
  }

  #createAlarms(watched: WatchedResources): Alarm[] {
    return [...this.#runAlarms(watched), ...this.#throttleAlarms(watched), ...this.#repairAlarms(watched)];
  }

  #create(name: string, condition: AlarmCondition): Alarm {
    return createAlarm(this, this.#options, name, condition);
  }

  /** What users see of requests and runs. */
  #runAlarms({ api, stateMachine, advance, serviceMetric }: WatchedResources): Alarm[] {
    const sum = { period: alarmPeriod, statistic: Stats.SUM };
    return [
      this.#create("errors", {
        symptom: "More than 5 % of requests fail with a 5xx status",
        metric: failedRequests(api),
        above: 0.05,
      }),
      this.#create("failed-runs", {
        symptom: "More than 20 % of the runs that end have the status technical_error",
        metric: serviceMetric("RunsFailed", Stats.AVERAGE).with({ period: fifteenMinutes }), // 0 or 1 per run that ends
        above: 0.2,
      }),
      this.#create("orphaned-runs", {
        symptom: "The sweep keeps finding orphaned runs: status running without a worker or an execution",
        metric: serviceMetric("RunsOrphaned", Stats.MAXIMUM),
        above: 0,
      }),
      this.#create("waiting-runs", {
        symptom: "More than 10 % of runs wait more than a minute before their first step",
        metric: serviceMetric("QueueTime", "p90"),
        above: 60_000,
      }),
      this.#create("crashes", {
        symptom: "The function advance crashes, runs out of memory or times out, so runs repeat steps or fail",
        metric: this.#countLines(
          advance,
          "AdvanceCrashes",
          '{ ($.type = "platform.report") && (($.record.status = "timeout") || ($.record.errorType = "Runtime.*")) }',
        ),
        above: 0,
        periods: [2, 6],
      }),
      this.#create("executions", {
        symptom: "Executions fail, time out or are throttled, so runs end late",
        metric: formula("FILL(failed, 0) + FILL(late, 0) + FILL(throttled, 0)", {
          failed: stateMachine.metricFailed(sum),
          late: stateMachine.metricTimedOut(sum),
          throttled: stateMachine.metricThrottled(sum),
        }),
        above: 0,
      }),
      this.#create("sandbox", {
        symptom: "A function rejects calls of advance, so agents cannot run programs or read documents",
        metric: this.#countLines(
          advance,
          "SandboxRejections",
          '{ $.message = "the sandbox function rejected a call" }',
        ),
        above: 0,
        periods: [1, 1],
      }),
    ];
  }

  /** Limits of the account and of the table. */
  #throttleAlarms({ table }: WatchedResources): Alarm[] {
    const throttled = "AWS throttles the service: requests may fail with a 5xx status, and runs take longer";
    return [
      // All functions in the region, because they share the quota.
      this.#create("throttles", {
        symptom: throttled,
        metric: Function.metricAllThrottles({ period: alarmPeriod }),
        above: 10,
      }),
      this.#create("throttles-soon", {
        symptom: "More than 80 % of the account's Lambda concurrency is in use",
        metric: formula("100 * used / SERVICE_QUOTA(used)", {
          used: Function.metricAllConcurrentExecutions({ period: alarmPeriod, statistic: Stats.MAXIMUM }),
        }),
        above: 80,
      }),
      this.#create("throttles-table", {
        symptom: throttled,
        // Of the table and its indexes.
        metric: sumOverDimensions("AWS/DynamoDB", "ThrottledRequests", ["TableName", table.tableName]),
        above: 10,
      }),
    ];
  }

  /** What runs in the background. */
  #repairAlarms(watched: WatchedResources): Alarm[] {
    const { deadLetters, serviceMetric } = watched;
    return [
      this.#create("deliveries-late", {
        symptom: "Webhook deliveries wait for more than 30 minutes before they are sent",
        metric: lateDeliveries(watched),
        above: 30 * 60,
      }),
      ...deadLetters.map((queue, index) =>
        this.#create(index === 0 ? "dead-letters" : `dead-letters-${index + 1}`, {
          symptom: "An event of a workflow or a webhook could not be processed, so a run or a webhook may be late",
          metric: queue.metricApproximateNumberOfMessagesVisible({ period: alarmPeriod, statistic: Stats.MAXIMUM }),
          above: 0,
          periods: [1, 1],
        }),
      ),
      this.#create("sweep-not-running", {
        symptom: "The sweep does not run, so orphaned runs are not detected",
        metric: serviceMetric("RunsRunning", Stats.SAMPLE_COUNT).with({ period: fifteenMinutes }), // one per sweep
        below: 1,
        periods: [1, 1],
        missing: TreatMissingData.BREACHING,
      }),
    ];
  }

  /** Counts lines in the log of `advance`. Without such lines, the metric has no data and costs nothing. */
  #countLines(advance: Function, metricName: string, pattern: string): Metric {
    return new MetricFilter(this, metricName, {
      logGroup: advance.logGroup,
      filterPattern: FilterPattern.literal(pattern),
      metricNamespace: `${namespace}/${this.#options.stackName}`,
      metricName,
    }).metric({ statistic: Stats.SUM, period: alarmPeriod });
  }

  #createTopic(stackName: string): Topic {
    const topic = new Topic(this, "Alarms", { displayName: stackName, enforceSSL: true });
    // A topic policy replaces the default one, which lets the account's services publish.
    const { account, region, partition } = Stack.of(this);
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: {
          StringEquals: { "aws:SourceAccount": account },
          ArnLike: { "aws:SourceArn": `arn:${partition}:cloudwatch:${region}:${account}:alarm:${stackName}-*` },
        },
      }),
    );
    return topic;
  }
}

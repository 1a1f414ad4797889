import { Duration, Stack } from "aws-cdk-lib";
import { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import { Alarm, ComparisonOperator, Metric, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Function } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { StateMachine } from "aws-cdk-lib/aws-stepfunctions";
import { Construct } from "constructs";
import { type Metric as MetricName, namespace, serviceDimension } from "../src/observability/metrics.ts";
import { dashboard } from "./dashboard.ts";

export interface OperationsProps {
  /** Who is told. They confirm the address once, by the mail that AWS sends. */
  alarmEmail?: string | undefined;
}

/** What there is to watch, found in the stack: a function or queue that is added later is watched without being named. */
export interface Watched {
  stackName: string;
  api: HttpApi;
  table: TableV2;
  stateMachine: StateMachine;
  functions: Function[];
  queues: Queue[];
  /** One of the service's own metrics. */
  measured: (name: MetricName, statistic: string) => Metric;
}

const period = Duration.minutes(5);
const quarter = Duration.minutes(15);

/** Chapters of the runbook that several alarms share. */
const chapters = ["errors", "throttles", "dead-letters"];

/** A dashboard, and alarms that say what users feel and where the runbook goes on. Comes last in its stack. */
export class Operations extends Construct {
  readonly #topic: Topic;
  readonly #stackName: string;

  constructor(scope: Construct, id: string, { alarmEmail }: OperationsProps) {
    super(scope, id);
    const watched = watchedIn(Stack.of(this));
    this.#stackName = watched.stackName;
    this.#topic = this.#alarmTopic(alarmEmail);
    dashboard(this, watched, this.#alarms(watched));
  }

  /** None is computed from several metrics: each stands for itself, and the emulator of the deploy test knows no math. */
  #alarms({ api, table, queues, measured }: Watched): Alarm[] {
    const throttled = "AWS refuses work because a quota is reached: requests answer 5xx, runs take longer";
    const tableThrottles = (metricName: string): Metric =>
      new Metric({
        namespace: "AWS/DynamoDB",
        metricName,
        dimensionsMap: { TableName: table.tableName },
        statistic: Stats.SUM,
        period,
      });
    return [
      this.#alarm("errors", {
        feel: "More than 5 % of requests are answered with 5xx",
        metric: api.metricServerError({ period, statistic: Stats.AVERAGE }), // 0 or 1 for each request
        above: 0.05,
      }),
      this.#alarm("errors-large", {
        feel: "More than 5 % of large creates are answered with 5xx",
        metric: measured("LargeRequestsFailed", Stats.AVERAGE), // 0 or 1 for each request
        above: 0.05,
      }),
      this.#alarm("failed-runs", {
        feel: "More than a fifth of the runs that end do so with technical_error",
        metric: measured("RunsFailed", Stats.AVERAGE).with({ period: quarter }), // 0 or 1 for each run that ends
        above: 0.2,
      }),
      this.#alarm("stuck-runs", {
        feel: "Runs stay running although nobody works on them; sweep after sweep finds some",
        metric: measured("RunsStuck", Stats.MAXIMUM),
        above: 0,
      }),
      this.#alarm("waiting-runs", {
        feel: "One run in ten waits for more than a minute before its first step",
        metric: measured("QueueTime", "p90"),
        above: 60_000,
      }),
      // Of all functions of the region, because the quota is theirs together.
      this.#alarm("throttles", { feel: throttled, metric: Function.metricAllThrottles({ period }), above: 10 }),
      this.#alarm("throttles-reads", { feel: throttled, metric: tableThrottles("ReadThrottleEvents"), above: 10 }),
      this.#alarm("throttles-writes", { feel: throttled, metric: tableThrottles("WriteThrottleEvents"), above: 10 }),
      ...queues.map((queue, index) =>
        this.#alarm(index === 0 ? "dead-letters" : `dead-letters-${index + 1}`, {
          feel: "An event of the workflow could not be handled; a run may end later than it should",
          metric: queue.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM }),
          above: 0,
          of: [1, 1],
        }),
      ),
      this.#alarm("sweep-not-running", {
        feel: "Nothing looks for runs that are stuck: one that is stuck now stays running",
        metric: measured("RunsRunning", Stats.SAMPLE_COUNT).with({ period: quarter }), // one for each sweep
        below: 1,
        of: [1, 1],
        missing: TreatMissingData.BREACHING,
      }),
    ];
  }

  /** `name` begins with the name of its chapter in the runbook. `of`: so many of the last so many periods. */
  #alarm(name: string, { feel, metric, above, below, of: [few, many] = [2, 3], missing }: Condition): Alarm {
    const chapter = chapters.find((each) => name.startsWith(each)) ?? name;
    const alarm = new Alarm(this, name, {
      alarmName: `${this.#stackName}-${name}`,
      alarmDescription: `${feel}. What to do: docs/operations.md#${chapter}`,
      metric,
      threshold: above ?? below ?? 0,
      comparisonOperator:
        below === undefined ? ComparisonOperator.GREATER_THAN_THRESHOLD : ComparisonOperator.LESS_THAN_THRESHOLD,
      datapointsToAlarm: few,
      evaluationPeriods: many,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.#topic));
    alarm.addOkAction(new SnsAction(this.#topic));
    return alarm;
  }

  #alarmTopic(email: string | undefined): Topic {
    const topic = new Topic(this, "Alarms", { displayName: this.#stackName, enforceSSL: true });
    if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
    // A policy of one's own takes the place of the one that lets the account's services publish.
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

interface Condition {
  /** What users notice, as a sentence without its full stop. */
  feel: string;
  metric: Metric;
  above?: number;
  below?: number;
  of?: [few: number, many: number];
  missing?: TreatMissingData;
}

function watchedIn(stack: Stack): Watched {
  const constructs = stack.node.findAll();
  const all = <T>(kind: abstract new (...args: never[]) => T): T[] =>
    constructs.filter((each): each is Construct & T => each instanceof kind);
  const one = <T>(name: string, kind: abstract new (...args: never[]) => T): T => {
    const [first] = all(kind);
    if (!first) throw new Error(`There is no ${name} in ${stack.stackName}: Operations has to come after it.`);
    return first;
  };
  const table = one("table", TableV2);
  return {
    stackName: stack.stackName,
    api: one("HTTP API", HttpApi),
    table,
    stateMachine: one("state machine", StateMachine),
    functions: all(Function),
    queues: all(Queue),
    measured: (metricName, statistic) =>
      new Metric({
        namespace,
        metricName,
        dimensionsMap: { [serviceDimension]: table.tableName },
        statistic,
        period,
      }),
  };
}

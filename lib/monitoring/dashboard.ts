import { Duration } from "aws-cdk-lib";
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  SingleValueWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import {
  categoryDimension,
  type Metric as MetricName,
  namespace,
  serviceDimension,
} from "../../src/observability/metrics.ts";
import type { WatchedResources } from "./watched-resources.ts";

/** The dashboard: symptoms for users on top, then usage and cost, then the AWS services. `title`: of the alarms. */
export function dashboard(scope: Construct, watched: WatchedResources, alarms: Alarm[], title: string): Dashboard {
  return new Dashboard(scope, "Dashboard", {
    dashboardName: watched.stackName,
    defaultInterval: Duration.days(1),
    widgets: [
      [new AlarmStatusWidget({ alarms, width: 24, height: 3, title })],
      ...rowsOfRuns(watched),
      ...rowsOfServices(watched),
    ],
  });
}

/** Symptoms for users, usage and cost. */
function rowsOfRuns({ api, table, serviceMetric }: WatchedResources): IWidget[][] {
  const each = (statistic: string, ...names: MetricName[]): IMetric[] =>
    names.map((name) => serviceMetric(name, statistic));
  const spread = (name: MetricName): IMetric[] =>
    ["p50", "p90", "Maximum"].map((statistic) => serviceMetric(name, statistic).with({ label: statistic }));
  const byCategory = new MathExpression({
    expression:
      `SEARCH('{${namespace},${serviceDimension},${categoryDimension}} MetricName="RunsFailed" ` +
      `${serviceDimension}="${table.tableName}"', 'Sum')`,
    usingMetrics: {},
    label: "",
  });
  return [
    [
      graph("Runs", each("Sum", "RunsCreated", "RunsFinished", "RunsFailed", "RunsTerminated")),
      graph("Failed runs by category", [byCategory]),
      graph("Requests", [
        api.metricCount(),
        api.metricClientError(),
        api.metricServerError(),
        ...each("Sum", "LargeRequestsFailed"),
      ]),
    ],
    [
      graph("Turn duration, ms", spread("TurnDuration")),
      graph("Wait before a turn's first step, ms", spread("QueueTime")),
      graph("Request latency, ms", [api.metricLatency({ statistic: "p50" }), api.metricLatency({ statistic: "p99" })]),
    ],
    [
      graph("Steps", each("Sum", "Steps")),
      graph("Tokens", each("Sum", "InputTokens", "OutputTokens")),
      new SingleValueWidget({
        title: "Model cost in US dollars, where the agent has prices",
        metrics: each("Sum", "Cost"),
        setPeriodToTimeRange: true,
        width: 8,
        height: 6,
      }),
    ],
  ];
}

function rowsOfServices(watched: WatchedResources): IWidget[][] {
  const { table, stateMachine, functions, deliveries, deadLetters, serviceMetric } = watched;
  const running: MetricName[] = ["RunsRunning", "RunsWaiting", "RunsOrphaned"];
  return [
    [
      graph(
        "Running, waiting and orphaned runs",
        running.map((name) => serviceMetric(name, "Maximum")),
      ),
      graph("Executions", [
        stateMachine.metricStarted(),
        stateMachine.metricSucceeded(),
        stateMachine.metricFailed(),
        stateMachine.metricTimedOut(),
        stateMachine.metricAborted(),
        stateMachine.metricThrottled(),
      ]),
      graph(
        "Dead letters",
        deadLetters.map((queue) => queue.metricApproximateNumberOfMessagesVisible()),
      ),
    ],
    [
      graph("Webhook deliveries: sent to the queue, done, waiting for an attempt", [
        deliveries.metricNumberOfMessagesSent(),
        deliveries.metricNumberOfMessagesDeleted(),
        deliveries.metricApproximateNumberOfMessagesDelayed(),
      ]),
      graph("Oldest delivery in the queue, s", [
        deliveries.metricApproximateAgeOfOldestMessage({ statistic: "Maximum" }),
      ]),
      graph("Oldest delivery in the stream, ms", [
        watched.enqueueDelivery.metric("IteratorAge", { statistic: "Maximum" }),
      ]),
    ],
    [
      graph(
        "Function errors (advance: includes waits for a model)",
        functions.map((fn) => fn.metricErrors()),
      ),
      graph(
        "Function throttles",
        functions.map((fn) => fn.metricThrottles()),
      ),
      graph("Table capacity units", [
        table.metricConsumedReadCapacityUnits(),
        table.metricConsumedWriteCapacityUnits(),
      ]),
    ],
  ];
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8, height: 6, leftYAxis: { min: 0, showUnits: false } });
}

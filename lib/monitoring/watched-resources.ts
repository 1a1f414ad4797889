import { Duration, Stack } from "aws-cdk-lib";
import { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Function } from "aws-cdk-lib/aws-lambda";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { StateMachine } from "aws-cdk-lib/aws-stepfunctions";
import type { Construct, IConstruct } from "constructs";
import { type Metric as MetricName, namespace, serviceDimension } from "../../src/observability/metrics.ts";

/** The service's monitored resources. They are found in the construct tree, so new functions and queues are included. */
export interface WatchedResources {
  stackName: string;
  api: HttpApi;
  table: TableV2;
  stateMachine: StateMachine;
  advance: Function;
  functions: Function[];
  /** Passes new webhook deliveries on to `deliveries`. */
  enqueueDelivery: Function;
  /** Webhook deliveries that are due. */
  deliveries: Queue;
  deadLetters: Queue[];
  /** One of the service's own metrics. */
  serviceMetric: (name: MetricName, statistic: string) => Metric;
}

export function watchedResources(service: IConstruct): WatchedResources {
  const { stackName } = Stack.of(service);
  const constructs = service.node.findAll();
  const all = <T>(kind: abstract new (...args: never[]) => T): T[] =>
    constructs.filter((each): each is Construct & T => each instanceof kind);
  const one = <T extends Construct>(name: string, kind: abstract new (...args: never[]) => T, id?: string): T => {
    const first = all(kind).find(({ node }) => id === undefined || node.id === id);
    if (!first) throw new Error(`${stackName} has no ${name}. Add it to the service before Alarms.`);
    return first;
  };
  const table = one("table", TableV2);
  return {
    stackName,
    api: one("HTTP API", HttpApi),
    table,
    stateMachine: one("state machine", StateMachine),
    advance: one("function advance", Function, "Advance"),
    functions: all(Function),
    enqueueDelivery: one("function enqueue-delivery", Function, "EnqueueDelivery"),
    deliveries: one("queue of deliveries", Queue, "Due"),
    deadLetters: all(Queue).filter(({ deadLetterQueue }) => deadLetterQueue === undefined),
    serviceMetric: (metricName, statistic) =>
      new Metric({
        namespace,
        metricName,
        dimensionsMap: { [serviceDimension]: table.tableName },
        statistic,
        period: Duration.minutes(5),
      }),
  };
}

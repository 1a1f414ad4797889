import { Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  type Function,
  StartingPosition,
} from "aws-cdk-lib/aws-lambda";
import { ScheduleGroup } from "aws-cdk-lib/aws-scheduler";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { deliveryBatch, sendDeliverySeconds } from "../src/platform/aws/delivery/delivery-limits.ts";
import { deliveryPrefix, partitionKey } from "../src/platform/aws/dynamodb/table.ts";
import { deadLetterQueue } from "./recovery.ts";
import { acknowledgeWildcard, grant } from "./service-function.ts";

export interface DeliveriesProps {
  table: TableV2;
  /** Called with the keys of new deliveries. */
  enqueue: Function;
  /** Called with deliveries that are due. */
  send: Function;
  /** Receives the positions of stream records that expired before `enqueue` accepted them. */
  deadLetters: Queue;
}

/** Receives of a message before it goes to the dead letters. The first is normal; the others follow a failed invocation. */
const maxReceives = 10;

/**
 * Most calls of `send` at once, with `deliveryBatch` deliveries each: slow receivers leave most of the account's concurrency
 * to runs. Nothing is reserved.
 */
const maxSenders = 10;

/**
 * Sends the deliveries of webhooks. The write that ends a turn also stores its delivery. The table's stream passes its id on
 * to a queue, from which it is sent. Retries come back to the queue: after up to 15 minutes by its own delay, later by
 * one-time schedules.
 *
 * Nothing scans for lost deliveries: the stream keeps a record for 24 hours, `enqueue` is called with it until it succeeds,
 * and the alarm `deliveries-late` fires long before the record expires.
 */
export class Deliveries extends Construct {
  readonly #queue: Queue;

  constructor(scope: Construct, id: string, { table, enqueue, send, deadLetters }: DeliveriesProps) {
    super(scope, id);
    this.#queue = new Queue(this, "Due", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      // AWS recommends six times the function's time-out, so that Lambda can repeat a throttled call.
      visibilityTimeout: Duration.seconds(6 * sendDeliverySeconds),
      deadLetterQueue: { queue: deadLetterQueue(this), maxReceiveCount: maxReceives },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    for (const fn of [enqueue, send]) {
      const sends = { actions: ["sqs:SendMessage"], resources: [this.#queue.queueArn] };
      grant(fn, { DELIVERY_QUEUE_URL: this.#queue.queueUrl }, sends);
    }
    this.#enqueueNew(table, enqueue, deadLetters);
    this.#sendDue(send);
    this.#grantSchedules(send);
  }

  #enqueueNew({ tableStreamArn: stream }: TableV2, enqueue: Function, deadLetters: Queue): void {
    if (stream === undefined) throw new Error("the table has no stream");
    grant(
      enqueue,
      {},
      { actions: ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"], resources: [stream] },
      { actions: ["dynamodb:ListStreams"], resources: ["*"] },
      { actions: ["sqs:SendMessage"], resources: [deadLetters.queueArn] },
    );
    acknowledgeWildcard(enqueue.role ?? enqueue, "*", "ListStreams does not support resource-level permissions.");
    new EventSourceMapping(this, "New", {
      target: enqueue,
      eventSourceArn: stream,
      // Also reads what was written between the creation of the stream and that of this mapping.
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: deliveryBatch,
      bisectBatchOnError: true,
      maxRecordAge: Duration.hours(6), // a record that always fails would block its shard for the 24 h that a stream keeps it
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.isEqual("INSERT"),
          dynamodb: { Keys: { [partitionKey]: { S: FilterRule.beginsWith(deliveryPrefix) } } },
        }),
      ],
      onFailure: { bind: () => ({ destination: deadLetters.queueArn }) },
    });
  }

  #sendDue(send: Function): void {
    const receive = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
    grant(send, {}, { actions: receive, resources: [this.#queue.queueArn] });
    new EventSourceMapping(this, "Sends", {
      target: send,
      eventSourceArn: this.#queue.queueArn,
      batchSize: deliveryBatch,
      maxConcurrency: maxSenders,
      reportBatchItemFailures: true,
    });
  }

  /** Lets the function make schedules, and the schedules send messages to the queue. */
  #grantSchedules(send: Function): void {
    const stack = Stack.of(this);
    const { stackName } = stack;
    const schedules = { service: "scheduler", resource: "schedule", resourceName: `${stackName}/*` };
    const group = new ScheduleGroup(this, "Retries", {
      scheduleGroupName: stackName,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, "SchedulerRole", {
      assumedBy: new ServicePrincipal("scheduler.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": stack.account, "aws:SourceArn": group.scheduleGroupArn } },
      }),
    });
    role.addToPolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.#queue.queueArn] }));
    grant(
      send,
      {
        DELIVERY_QUEUE_ARN: this.#queue.queueArn,
        DELIVERY_SCHEDULE_GROUP: group.scheduleGroupName,
        DELIVERY_SCHEDULE_ROLE_ARN: role.roleArn,
      },
      { actions: ["scheduler:CreateSchedule"], resources: [stack.formatArn(schedules)] },
      {
        actions: ["iam:PassRole"],
        resources: [role.roleArn],
        conditions: { StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" } },
      },
    );
    acknowledgeWildcard(
      send.role ?? send,
      `arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/${stackName}/*`,
      "Names of schedules contain the ids of deliveries, so they cannot be listed in advance.",
    );
  }
}

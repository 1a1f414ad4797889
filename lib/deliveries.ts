import { Duration, RemovalPolicy } from "aws-cdk-lib";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import {
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  type Function,
  StartingPosition,
} from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { deliveryBatch, sendDeliverySeconds } from "../src/platform/aws/delivery-limits.ts";
import { deliveryPrefix, partitionKey } from "../src/platform/aws/table.ts";
import { deadLetterQueue } from "./recovery.ts";
import { acknowledgeWildcard, grant } from "./service-function.ts";

export interface DeliveriesProps {
  table: TableV2;
  /** Called with the keys of new deliveries. */
  enqueue: Function;
  /** Receives the positions of stream records that expired before `enqueue` accepted them. */
  deadLetters: Queue;
}

/** Receives of a message before it goes to the dead letters. The first is normal; the others follow a failed invocation. */
const maxReceives = 10;

/**
 * Sends the deliveries of webhooks. The write that ends a turn also stores its delivery, and the table's stream passes the
 * delivery's id on to a queue. Nothing scans for lost ones: the stream keeps a record for 24 hours, `enqueue` is called
 * with it until it succeeds, and the alarm `deliveries-late` tells long before the record expires.
 */
export class Deliveries extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, props: DeliveriesProps) {
    super(scope, id);
    this.queue = new Queue(this, "Due", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      // AWS recommends six times the function's time-out, so that Lambda can repeat a throttled call.
      visibilityTimeout: Duration.seconds(6 * sendDeliverySeconds),
      deadLetterQueue: { queue: deadLetterQueue(this), maxReceiveCount: maxReceives },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.#enqueueNew(props);
  }

  #enqueueNew({ table, enqueue, deadLetters }: DeliveriesProps): void {
    const { tableStreamArn: stream } = table;
    if (stream === undefined) throw new Error("the table has no stream");
    grant(
      enqueue,
      { DELIVERY_QUEUE_URL: this.queue.queueUrl },
      { actions: ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"], resources: [stream] },
      { actions: ["dynamodb:ListStreams"], resources: ["*"] },
      { actions: ["sqs:SendMessage"], resources: [this.queue.queueArn, deadLetters.queueArn] },
    );
    acknowledgeWildcard(enqueue.role ?? enqueue, "*", "ListStreams does not support resource-level permissions.");
    new EventSourceMapping(this, "New", {
      target: enqueue,
      eventSourceArn: stream,
      // Also reads what was written between the creation of the stream and that of this mapping.
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: deliveryBatch,
      bisectBatchOnError: true,
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.isEqual("INSERT"),
          dynamodb: { Keys: { [partitionKey]: { S: FilterRule.beginsWith(deliveryPrefix) } } },
        }),
      ],
      onFailure: { bind: () => ({ destination: deadLetters.queueArn }) },
    });
  }
}

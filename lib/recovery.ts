import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import type { Function } from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { StateMachine } from "aws-cdk-lib/aws-stepfunctions";
import { Construct } from "constructs";
import { sweepMinutes } from "../src/workflow/policy.ts";

export interface RepairProps {
  stateMachine: StateMachine;
  /** Called with every execution that ended without its own `fail`. */
  reconcile: Function;
  /** Called by the clock. */
  sweep: Function;
  /** Where what could not be delivered, or failed for good, is kept for people. */
  deadLetters: Queue;
}

/** For events that nobody could take: kept as long as SQS keeps anything. Operations puts its alarm on it. */
export function deadLetterQueue(scope: Construct): Queue {
  return new Queue(scope, "DeadLetters", {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    removalPolicy: RemovalPolicy.DESTROY,
  });
}

/** Nothing stays `running` for ever: what the state machine can't catch itself, and what was lost before or beside it. */
export class Repair extends Construct {
  constructor(scope: Construct, id: string, { stateMachine, reconcile, sweep, deadLetters }: RepairProps) {
    super(scope, id);
    const target = (fn: Function): LambdaFunction =>
      new LambdaFunction(fn, { deadLetterQueue: deadLetters, retryAttempts: 10, maxEventAge: Duration.hours(2) });

    new Rule(this, "Ended", {
      description: "Executions that ended otherwise than by their own end",
      eventPattern: {
        source: ["aws.states"],
        detailType: ["Step Functions Execution Status Change"],
        detail: {
          stateMachineArn: [stateMachine.stateMachineArn],
          status: ["FAILED", "TIMED_OUT", "ABORTED"],
        },
      },
      targets: [target(reconcile)],
    });
    new Rule(this, "Clock", {
      description: "Looks for runs that nobody works on",
      schedule: Schedule.rate(Duration.minutes(sweepMinutes)),
      targets: [target(sweep)],
    });
  }
}

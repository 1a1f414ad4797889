import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import type { Function } from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { StateMachine } from "aws-cdk-lib/aws-stepfunctions";
import { Construct } from "constructs";
import { sweepMinutes } from "../src/workflow/policy.ts";

export interface RecoveryProps {
  stateMachine: StateMachine;
  /** Called for every execution that ended without its own `fail` task. */
  reconcile: Function;
  /** Called on a schedule. */
  sweep: Function;
  /** Receives events that could not be delivered or whose retries all failed. */
  deadLetters: Queue;
}

/** Keeps failed events for 14 days, the longest that SQS allows. `Alarms` adds an alarm. */
export function deadLetterQueue(scope: Construct): Queue {
  return new Queue(scope, "DeadLetters", {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    removalPolicy: RemovalPolicy.DESTROY,
  });
}

/** Ends orphaned runs: `reconcile` after an execution that failed, the scheduled `sweep` for everything else. */
export class Recovery extends Construct {
  constructor(scope: Construct, id: string, { stateMachine, reconcile, sweep, deadLetters }: RecoveryProps) {
    super(scope, id);
    const target = (fn: Function): LambdaFunction =>
      new LambdaFunction(fn, { deadLetterQueue: deadLetters, retryAttempts: 10, maxEventAge: Duration.hours(2) });

    new Rule(this, "Ended", {
      description: "Executions that failed, timed out or were aborted",
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
      description: "Finds orphaned runs and ends them",
      schedule: Schedule.rate(Duration.minutes(sweepMinutes)),
      targets: [target(sweep)],
    });
  }
}

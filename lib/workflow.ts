import { ArnFormat, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import type { Function } from "aws-cdk-lib/aws-lambda";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import {
  Choice,
  Condition,
  DefinitionBody,
  Fail,
  JitterType,
  LogLevel,
  QueryLanguage,
  type RetryProps,
  StateMachine,
  Succeed,
  TaskInput,
  Timeout,
  Wait,
  WaitTime,
} from "aws-cdk-lib/aws-stepfunctions";
import { LambdaInvoke } from "aws-cdk-lib/aws-stepfunctions-tasks";
import { Construct } from "constructs";
import { advanceSeconds, failPolicy, retryPolicy, turnSeconds } from "../src/workflow/policy.ts";
import { acknowledgeWildcard, arnInFindings, grant } from "./service-function.ts";

export interface WorkflowProps {
  advance: Function;
  fail: Function;
  logRetention: RetentionDays;
}

/** What `advance` waits for by itself: the wait of both homes. */
const whileUnavailable: RetryProps = {
  errors: [retryPolicy.errorName],
  maxAttempts: retryPolicy.maxAttempts,
  interval: Duration.seconds(retryPolicy.firstDelaySeconds),
  backoffRate: retryPolicy.backoffRate,
  maxDelay: Duration.seconds(retryPolicy.maxDelaySeconds),
  jitterStrategy: JitterType.FULL,
};

/**
 * The account's concurrent executions are all in use, or the function's own: the turn waits in line, as it does on one
 * machine, for 10 hours on average. Each attempt is a billed transition and three of 25,000 entries of the history.
 */
const whileAllAreBusy: RetryProps = {
  errors: ["Lambda.TooManyRequestsException"],
  maxAttempts: 720,
  interval: Duration.seconds(2),
  backoffRate: 2,
  maxDelay: Duration.seconds(100),
  jitterStrategy: JitterType.FULL,
};

/** Lambda itself had a problem before or around our code; AWS names these for retrying. */
const whileLambdaIsUnwell: RetryProps = {
  errors: [
    "Lambda.ServiceException",
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
    "Lambda.ClientExecutionTimeoutException",
  ],
  maxAttempts: 8,
  interval: Duration.seconds(2),
  backoffRate: 2,
  maxDelay: Duration.minutes(1),
  jitterStrategy: JitterType.FULL,
};

/** The process died or ran out of time. What was recorded is not repeated, so a crash costs the step in flight. */
const afterCrash: RetryProps = {
  errors: ["Lambda.Unknown", "Runtime.ExitError", "Runtime.OutOfMemory", "Sandbox.Timedout", "States.Timeout"],
  maxAttempts: 2,
  interval: Duration.seconds(5),
  backoffRate: 2,
  jitterStrategy: JitterType.FULL,
};

/** The last task waits out whatever happens, and no longer than leaves the repair its time: see `failPolicy`. */
const whateverHappens: RetryProps = {
  errors: ["States.ALL"],
  maxAttempts: failPolicy.maxAttempts,
  interval: Duration.seconds(failPolicy.firstDelaySeconds),
  backoffRate: failPolicy.backoffRate,
  maxDelay: Duration.seconds(failPolicy.maxDelaySeconds),
  jitterStrategy: JitterType.FULL,
};

/** Drives one turn: `advance` until it is done, `fail` for what it could not do. Carries ids only (payload.ts). */
export class Workflow extends Construct {
  readonly stateMachine: StateMachine;

  constructor(scope: Construct, id: string, { advance, fail, logRetention }: WorkflowProps) {
    super(scope, id);

    // An execution whose failure `fail` has recorded has done its work: FAILED then means that nobody recorded it.
    const ended = Succeed.jsonata(this, "Ended");
    // Executions are shown in the console: of an error of our own code it gets the name, the log has the rest.
    const unrecorded = Fail.jsonata(this, "Unrecorded", {
      error: "{% $states.input.error %}",
      cause: `{% $states.input.error = '${retryPolicy.errorName}' ? $states.input.cause : 'The log of Advance has it.' %}`,
    });

    const failing = LambdaInvoke.jsonata(this, "Fail", {
      lambdaFunction: fail,
      payload: TaskInput.fromText("{% $merge([$states.context.Execution.Input, $states.input]) %}"),
      taskTimeout: Timeout.duration(Duration.seconds(failPolicy.taskSeconds)),
      retryOnServiceExceptions: false,
      outputs: {},
    });
    failing.addRetry(whateverHappens);
    failing.addCatch(unrecorded, { outputs: "{% $states.input %}" });
    failing.next(ended);

    const advancing = LambdaInvoke.jsonata(this, "Advance", {
      lambdaFunction: advance,
      payload: TaskInput.fromText("{% $states.input %}"),
      taskTimeout: Timeout.duration(Duration.seconds(advanceSeconds + 60)),
      retryOnServiceExceptions: false,
      outputs: "{% $merge([$states.input, $states.result.Payload]) %}",
    });
    for (const retry of [whileUnavailable, whileAllAreBusy, whileLambdaIsUnwell, afterCrash]) advancing.addRetry(retry);
    advancing.addCatch(failing, {
      outputs: {
        error: "{% $states.errorOutput.Error %}",
        cause: "{% $exists($states.errorOutput.Cause) ? $states.errorOutput.Cause : '' %}",
        turn: "{% $states.input.turn %}",
      },
    });
    const waiting = Wait.jsonata(this, "Wait as asked", {
      time: WaitTime.seconds("{% $states.input.waitSeconds %}"),
    });
    waiting.next(advancing);
    advancing.next(
      Choice.jsonata(this, "Done?")
        .when(Condition.jsonata("{% $states.input.done %}"), ended)
        .when(Condition.jsonata("{% $states.input.waitSeconds > 0 %}"), waiting)
        .otherwise(advancing),
    );

    this.stateMachine = new StateMachine(this, "StateMachine", {
      comment: "One turn of a run; started with its ids, named after them.",
      queryLanguage: QueryLanguage.JSONATA,
      definitionBody: DefinitionBody.fromChainable(advancing),
      timeout: Duration.seconds(turnSeconds),
      tracingEnabled: true,
      logs: {
        level: LogLevel.ALL,
        includeExecutionData: false,
        // The prefix keeps AWS's own policy for delivered logs short enough when there are many stacks.
        destination: new LogGroup(this, "Log", {
          logGroupName: `/aws/vendedlogs/states/${scope.node.id}`,
          retention: logRetention,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
      },
    });
    for (const fn of [advance, fail]) {
      const versions = `${arnInFindings(fn)}:*`;
      acknowledgeWildcard(
        this.stateMachine,
        versions,
        "The versions of this one function; CDK's task grants them with it.",
      );
    }
    const reason = "Log delivery and X-Ray know no resources: AWS documents * as the only one for these actions.";
    acknowledgeWildcard(this.stateMachine, "*", reason);
  }

  /** The ARN of every execution of this state machine, and how cdk-nag writes it. */
  get executionsArn(): { arn: string; inFindings: string } {
    const arn = Stack.of(this).formatArn({
      service: "states",
      resource: "execution",
      resourceName: `${this.stateMachine.stateMachineName}:*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const name = arnInFindings(this.stateMachine).replace(".Arn>", ".Name>");
    return { arn, inFindings: `arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:${name}:*` };
  }

  /** The function may look at executions, and stop them. */
  grantLook(fn: Function): void {
    const { stateMachineArn } = this.stateMachine;
    const { arn, inFindings } = this.executionsArn;
    grant(
      fn,
      { STATE_MACHINE_ARN: stateMachineArn },
      { actions: ["states:ListExecutions"], resources: [stateMachineArn] },
      { actions: ["states:DescribeExecution", "states:StopExecution"], resources: [arn] },
    );
    acknowledgeWildcard(fn.role ?? fn, inFindings, "An execution is named after its run: there is no list of them.");
  }

  /** The function may start a turn. */
  grantStart(fn: Function): void {
    const { stateMachineArn } = this.stateMachine;
    grant(
      fn,
      { STATE_MACHINE_ARN: stateMachineArn },
      { actions: ["states:StartExecution"], resources: [stateMachineArn] },
    );
  }
}

import { ArnFormat, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { Policy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function, IFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
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
import { acknowledgeWildcard, arnInFindings, grant, logRetention } from "./service-function.ts";

export interface WorkflowProps {
  advance: Function;
  /** What executions call: `advance`, or an alias of it. */
  liveAdvance: IFunction;
  fail: Function;
}

/** `advance` throws this error while the model is unavailable. Both platforms use the same retry policy. */
const modelUnavailableRetry: RetryProps = {
  errors: [retryPolicy.errorName],
  maxAttempts: retryPolicy.maxRetries,
  interval: Duration.seconds(retryPolicy.firstDelaySeconds),
  backoffRate: retryPolicy.backoffRate,
  maxDelay: Duration.seconds(retryPolicy.maxDelaySeconds),
  jitterStrategy: JitterType.FULL,
};

/**
 * The account's or the function's concurrency is used up. The turn waits for up to 20 hours (10 on average, with
 * jitter). Each attempt is one billed transition and three of the 25,000 events that an execution's history can hold.
 */
const concurrencyRetry: RetryProps = {
  errors: ["Lambda.TooManyRequestsException"],
  maxAttempts: 720,
  interval: Duration.seconds(2),
  backoffRate: 2,
  maxDelay: Duration.seconds(100),
  jitterStrategy: JitterType.FULL,
};

/** Lambda's own errors, which AWS documents as retryable. */
const lambdaErrorRetry: RetryProps = {
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

/** The process crashed or timed out. The turn resumes from its journal, so a crash costs only the step in flight. */
const crashRetry: RetryProps = {
  errors: ["Lambda.Unknown", "Runtime.ExitError", "Runtime.OutOfMemory", "Sandbox.Timedout", "States.Timeout"],
  maxAttempts: 2,
  interval: Duration.seconds(5),
  backoffRate: 2,
  jitterStrategy: JitterType.FULL,
};

/** For `fail`, the last task. Bounded, so that recovery can take over in time: see `failPolicy`. */
const catchAllRetry: RetryProps = {
  errors: ["States.ALL"],
  maxAttempts: failPolicy.maxRetries,
  interval: Duration.seconds(failPolicy.firstDelaySeconds),
  backoffRate: failPolicy.backoffRate,
  maxDelay: Duration.seconds(failPolicy.maxDelaySeconds),
  jitterStrategy: JitterType.FULL,
};

/** State machine of one turn: `advance` until it is done, `fail` if it cannot be. Its payload contains only ids. */
export class Workflow extends Construct {
  readonly stateMachine: StateMachine;

  constructor(scope: Construct, id: string, { advance, liveAdvance, fail }: WorkflowProps) {
    super(scope, id);

    // An execution succeeds if `fail` recorded the failure. FAILED means that nothing recorded it.
    const ended = Succeed.jsonata(this, "Ended");
    // The console shows executions to everyone with read access. It gets only the name of an internal error.
    const unrecorded = Fail.jsonata(this, "Unrecorded", {
      error: "{% $states.input.error %}",
      cause: `{% $states.input.error = '${retryPolicy.errorName}' ? $states.input.cause : 'See the log of Advance.' %}`,
    });

    const failTask = LambdaInvoke.jsonata(this, "Fail", {
      lambdaFunction: fail,
      payload: TaskInput.fromText("{% $merge([$states.context.Execution.Input, $states.input]) %}"),
      taskTimeout: Timeout.duration(Duration.seconds(failPolicy.taskSeconds)),
      retryOnServiceExceptions: false,
      outputs: {},
    });
    failTask.addRetry(catchAllRetry);
    failTask.addCatch(unrecorded, { outputs: "{% $states.input %}" });
    failTask.next(ended);

    const advanceTask = LambdaInvoke.jsonata(this, "Advance", {
      lambdaFunction: liveAdvance,
      payload: TaskInput.fromText(
        "{% $merge([$states.input, {'stateMachineArn': $states.context.StateMachine.Id}]) %}",
      ),
      taskTimeout: Timeout.duration(Duration.seconds(advanceSeconds + 60)),
      retryOnServiceExceptions: false,
      outputs: "{% $merge([$states.input, $states.result.Payload]) %}",
    });
    for (const retry of [modelUnavailableRetry, concurrencyRetry, lambdaErrorRetry, crashRetry])
      advanceTask.addRetry(retry);
    advanceTask.addCatch(failTask, {
      outputs: {
        error: "{% $states.errorOutput.Error %}",
        cause: "{% $exists($states.errorOutput.Cause) ? $states.errorOutput.Cause : '' %}",
        turn: "{% $states.input.turn %}",
      },
    });
    const waitState = Wait.jsonata(this, "Wait as asked", {
      time: WaitTime.seconds("{% $states.input.waitSeconds %}"),
    });
    waitState.next(advanceTask);
    advanceTask.next(
      Choice.jsonata(this, "Done?")
        .when(Condition.jsonata("{% $states.input.done %}"), ended)
        .when(Condition.jsonata("{% $states.input.waitSeconds > 0 %}"), waitState)
        .otherwise(advanceTask),
    );

    this.stateMachine = new StateMachine(this, "StateMachine", {
      comment: "One turn of a run. The execution is named after run id and turn.",
      queryLanguage: QueryLanguage.JSONATA,
      definitionBody: DefinitionBody.fromChainable(advanceTask),
      timeout: Duration.seconds(turnSeconds),
      tracingEnabled: true,
      logs: {
        level: LogLevel.ALL,
        includeExecutionData: false,
        // AWS's resource policy for delivered logs covers this prefix. Without it, the policy grows with every stack.
        destination: new LogGroup(this, "Log", {
          logGroupName: `/aws/vendedlogs/states/${Stack.of(this).stackName}`,
          retention: logRetention,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
      },
    });
    const hasAlias = liveAdvance !== advance;
    if (hasAlias) {
      // Executions that began before the function had an alias call it without one, for up to a day.
      const resources = [advance.functionArn];
      this.stateMachine.addToRolePolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources }));
    }
    for (const fn of hasAlias ? [fail] : [advance, fail]) {
      const versions = `${arnInFindings(fn)}:*`;
      acknowledgeWildcard(this.stateMachine, versions, "CDK's task also grants the versions of this one function.");
    }
    const reason =
      "Log delivery and X-Ray do not support resource-level permissions. AWS documents * for these actions.";
    acknowledgeWildcard(this.stateMachine, "*", reason);
  }

  /** ARN pattern of this state machine's executions, also as cdk-nag writes it. */
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

  /** Lets the function list, read and stop executions. */
  grantManageExecutions(fn: Function): void {
    const { stateMachineArn } = this.stateMachine;
    grant(fn, {}, { actions: ["states:ListExecutions"], resources: [stateMachineArn] });
    this.#grantExecutions(fn, "states:DescribeExecution", "states:StopExecution");
  }

  /** Lets the function stop executions. */
  grantStopExecution(fn: Function): void {
    this.#grantExecutions(fn, "states:StopExecution");
  }

  #grantExecutions(fn: Function, ...actions: string[]): void {
    const { arn, inFindings } = this.executionsArn;
    grant(fn, { STATE_MACHINE_ARN: this.stateMachine.stateMachineArn }, { actions, resources: [arn] });
    acknowledgeWildcard(
      fn.role ?? fn,
      inFindings,
      "Execution names contain run ids, so they cannot be listed in advance.",
    );
  }

  /**
   * Lets a function that the state machine invokes start an execution. A policy apart from the function's own: that one has
   * to exist before the function, which has to exist before the state machine.
   */
  grantStartNext(fn: Function): void {
    const { stateMachineArn } = this.stateMachine;
    const statement = new PolicyStatement({ actions: ["states:StartExecution"], resources: [stateMachineArn] });
    new Policy(this, "StartNext", { statements: [statement], ...(fn.role && { roles: [fn.role] }) });
  }

  /** Lets the function start an execution. */
  grantStartExecution(fn: Function): void {
    const { stateMachineArn } = this.stateMachine;
    grant(
      fn,
      { STATE_MACHINE_ARN: stateMachineArn },
      { actions: ["states:StartExecution"], resources: [stateMachineArn] },
    );
  }
}

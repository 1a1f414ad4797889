import {
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  StartExecutionCommand,
  StateMachineDoesNotExist,
  StopExecutionCommand,
} from "@aws-sdk/client-sfn";
import { expect, test } from "vitest";
import { mockedPlatform, problem, stateMachineArn } from "./aws-mocks.ts";

test("start names the execution by run and turn; its input has ids only", async () => {
  const { workflow, executions } = mockedPlatform();
  await workflow.start("R", 3);
  const [start] = executions.commandCalls(StartExecutionCommand);
  expect(start?.args[0].input).toEqual({ stateMachineArn, name: "R-3", input: '{"runId":"R","turn":3}' });
});

test("starting a turn again succeeds; a missing state machine is an error", async () => {
  const { workflow, executions } = mockedPlatform();
  executions
    .on(StartExecutionCommand)
    .rejectsOnce(new ExecutionAlreadyExists(problem(400)))
    .rejectsOnce(new StateMachineDoesNotExist(problem(400)));
  await workflow.start("R", 3);
  await expect(workflow.start("R", 3)).rejects.toThrow(StateMachineDoesNotExist);
});

const arn = "arn:aws-cn:states:cn-north-1:1:execution:Turns-stateMachine";

test("stop stops the latest execution that was started for this turn or an earlier one", async () => {
  const { workflow, executions } = mockedPlatform();
  executions
    .on(StopExecutionCommand)
    .rejectsOnce(new ExecutionDoesNotExist(problem(400)))
    .resolves({});
  await workflow.stop("R", 3);
  expect(stopped(executions)).toEqual([`${arn}:R-3`, `${arn}:R-2`]);
});

test("stop is a no-op without an execution", async () => {
  const { workflow, executions } = mockedPlatform();
  executions.on(StopExecutionCommand).rejects(new ExecutionDoesNotExist(problem(400)));
  await workflow.stop("R", 2);
  expect(stopped(executions)).toEqual([`${arn}:R-2`, `${arn}:R-1`]);
});

/** ARNs of the stop requests. */
function stopped(executions: ReturnType<typeof mockedPlatform>["executions"]): (string | undefined)[] {
  return executions.commandCalls(StopExecutionCommand).map(({ args }) => args[0].input.executionArn);
}

import {
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from "@aws-sdk/client-sfn";
import type { Workflow } from "../../runs/ports.ts";
import { withMappedErrors } from "./sdk/errors.ts";

/** The Step Functions state machine that drives turns, and its client. */
export interface StateMachine {
  sfn: SFNClient;
  stateMachineArn: string;
}

/** Starts one execution per turn, named by run and turn. Its input is `{runId, turn}`: executions hold no content. */
export function awsWorkflow({ sfn, stateMachineArn }: StateMachine): Workflow {
  return withMappedErrors<Workflow>("Step Functions", {
    async start(runId, turn) {
      const name = executionName(runId, turn);
      try {
        await sfn.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify({ runId, turn }) }));
      } catch (error) {
        // The turn was started before and has ended. While it is running, AWS returns the existing execution.
        if (!(error instanceof ExecutionAlreadyExists)) throw error;
      }
    },

    async stop(runId, turn) {
      for (const { executionArn } of candidateExecutions(stateMachineArn, runId, turn)) {
        try {
          await sfn.send(new StopExecutionCommand({ executionArn }));
          return;
        } catch (error) {
          if (hasEnded(error)) return;
          if (!(error instanceof ExecutionDoesNotExist)) throw error;
        }
      }
    },
  });
}

function executionName(runId: string, turn: number): string {
  return `${runId}-${turn}`;
}

/** AWS accepts a stop of an ended execution. An emulator returns this error. */
function hasEnded(error: unknown): boolean {
  return error instanceof Error && error.name === "ValidationException" && error.message.includes("not running");
}

/**
 * Names the executions that a turn may belong to, latest first; the first that exists is the turn's. One execution
 * continues through queued inputs and is named after the first of their turns (`first`).
 */
export function* candidateExecutions(
  stateMachineArn: string,
  runId: string,
  turn: number,
): Generator<{ first: number; executionArn: string }> {
  const prefix = stateMachineArn.replace(":stateMachine:", ":execution:");
  for (let first = turn; first >= 1; first--) {
    yield { first, executionArn: `${prefix}:${executionName(runId, first)}` };
  }
}

/** The id of the run that an execution of this name drives. */
export function runOfExecution(name: string): string {
  return name.slice(0, name.lastIndexOf("-"));
}

import {
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from "@aws-sdk/client-sfn";
import type { Workflow } from "../../runs/ports.ts";
import type { Run } from "../../runs/run-types.ts";
import { withMappedErrors } from "./sdk/sdk-errors.ts";

/** The Step Functions state machine that drives turns, and its client. */
export interface StateMachine {
  sfn: SFNClient;
  stateMachineArn: string;
}

/**
 * Starts one execution per turn, and another one each time that a turn continues with answers. They are named by run, turn and
 * the number of the run's pauses. The input is `{runId, turn}`: executions hold no content.
 */
export function awsWorkflow({ sfn, stateMachineArn }: StateMachine): Workflow {
  return withMappedErrors<Workflow>("Step Functions", {
    async start(runId, turn, { pauses = 0 } = {}) {
      const name = executionName(runId, turn, pauses);
      try {
        await sfn.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify({ runId, turn }) }));
      } catch (error) {
        // The turn was started before and has ended. While it is running, AWS returns the existing execution.
        if (!(error instanceof ExecutionAlreadyExists)) throw error;
      }
    },

    async stop(runId, turn, pauses = 0) {
      for (const { executionArn } of candidateExecutions(stateMachineArn, { id: runId, turn, pauses })) {
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

function executionName(runId: string, turn: number, pauses: number): string {
  return pauses > 0 ? `${runId}-${turn}-${pauses}` : `${runId}-${turn}`;
}

/** AWS accepts a stop of an ended execution. An emulator returns this error. */
function hasEnded(error: unknown): boolean {
  return error instanceof Error && error.name === "ValidationException" && error.message.includes("not running");
}

/**
 * Names the executions that a turn may belong to, latest first; the first that exists is the turn's. One execution
 * continues through queued inputs and is named after the first of their turns (`first`). It ends when a turn waits for answers.
 */
export function* candidateExecutions(
  stateMachineArn: string,
  { id, turn, pauses = 0 }: Pick<Run, "id" | "turn" | "pauses">,
): Generator<{ first: number; executionArn: string }> {
  const prefix = stateMachineArn.replace(":stateMachine:", ":execution:");
  for (let first = turn; first >= 1; first--) {
    yield { first, executionArn: `${prefix}:${executionName(id, first, pauses)}` };
  }
}

/** Characters of a UUID. */
const idLength = 36;

/** The id of the run that an execution of this name drives. */
export function runOfExecution(name: string): string {
  return name.slice(0, idLength);
}

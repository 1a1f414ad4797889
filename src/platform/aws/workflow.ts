import {
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from "@aws-sdk/client-sfn";
import type { Workflow } from "../../runs/ports.ts";
import { withMappedErrors } from "./errors.ts";

/** One execution of the state machine for each turn, named by run and turn. Its input is `{runId, turn}`, no content. */
export function awsWorkflow({ sfn, stateMachineArn }: { sfn: SFNClient; stateMachineArn: string }): Workflow {
  return withMappedErrors<Workflow>("Step Functions", {
    async start(runId, turn) {
      const name = executionName(runId, turn);
      try {
        await sfn.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify({ runId, turn }) }));
      } catch (error) {
        // The same turn was started before and has already ended; while it still runs, AWS answers as if it were new.
        if (!(error instanceof ExecutionAlreadyExists)) throw error;
      }
    },

    async stop(runId, turn) {
      for (const { executionArn } of executionsThatMayBe(stateMachineArn, runId, turn)) {
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

/** AWS answers for an execution that has ended as if it had been stopped now; an emulator refuses in these words. */
function hasEnded(error: unknown): boolean {
  return error instanceof Error && error.name === "ValidationException" && error.message.includes("not running");
}

/**
 * The executions that a turn may belong to, each with the turn it was started for; the turn's is the first that there
 * is. Inputs that waited follow each other in one execution, which is named after the first of their turns.
 */
export function* executionsThatMayBe(
  stateMachineArn: string,
  runId: string,
  turn: number,
): Generator<{ first: number; executionArn: string }> {
  const prefix = stateMachineArn.replace(":stateMachine:", ":execution:");
  for (let first = turn; first >= 1; first--) {
    yield { first, executionArn: `${prefix}:${executionName(runId, first)}` };
  }
}

/** The id of the run whose turn an execution of this name drives. */
export function runOfExecution(name: string): string {
  return name.slice(0, name.lastIndexOf("-"));
}

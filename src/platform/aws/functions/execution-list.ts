import {
  DescribeExecutionCommand,
  ExecutionDoesNotExist,
  type ExecutionStatus,
  paginateListExecutions,
} from "@aws-sdk/client-sfn";
import type { Execution, Executions } from "../../../workflow/execution.ts";
import { withMappedErrors } from "../sdk/sdk-errors.ts";
import { candidateExecutions, runOfExecution, type StateMachine } from "../workflow.ts";

/** Executions as Step Functions lists them. Changes of the last seconds can be missing. */
export function awsExecutions({ sfn, stateMachineArn }: StateMachine): Executions {
  async function describe(turn: number, executionArn: string): Promise<Execution | undefined> {
    try {
      const { status, error, cause } = await sfn.send(new DescribeExecutionCommand({ executionArn }));
      return {
        turn,
        ended: endings[status ?? "RUNNING"],
        ...(error !== undefined && { error }),
        ...(cause !== undefined && { cause }),
      };
    } catch (error) {
      if (error instanceof ExecutionDoesNotExist) return undefined;
      throw error;
    }
  }

  return withMappedErrors<Executions>("Step Functions", {
    async runningRuns() {
      const found = new Set<string>();
      // 1,000 per page, 5 pages a second by AWS's quota: 100,000 running executions take 20 s.
      const pages = paginateListExecutions(
        { client: sfn },
        { stateMachineArn, statusFilter: "RUNNING", maxResults: 1_000 },
      );
      for await (const { executions = [] } of pages)
        for (const { name = "" } of executions) found.add(runOfExecution(name));
      return found;
    },

    async find(run) {
      for (const { first, executionArn } of candidateExecutions(stateMachineArn, run)) {
        const execution = await describe(first, executionArn);
        if (execution) return execution;
      }
      return undefined;
    },
  });
}

const endings: Record<ExecutionStatus, Execution["ended"]> = {
  RUNNING: undefined,
  PENDING_REDRIVE: undefined,
  SUCCEEDED: "succeeded",
  FAILED: "failed",
  TIMED_OUT: "timed_out",
  ABORTED: "aborted",
};

import { UpdateCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import { fullJitter, pause } from "../../../async/backoff.ts";
import type { DynamoTable } from "../sdk/clients.ts";
import { isConditionFailure, isTransientCancellation } from "../sdk/sdk-errors.ts";
import { partition } from "./run-items.ts";
import { head } from "./table.ts";

export const attempts = 5;
const firstPause = 40; // ms; at most 0.6 s in all

/** Sends a conditional write, and retries after contention and throttling. Undefined: the condition is false. */
export async function sendConditional<Output>(send: () => Promise<Output>): Promise<Output | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (isConditionFailure(error)) return undefined;
      if (!isTransientCancellation(error) || attempt === attempts) throw error;
      await backOff(attempt);
    }
  }
}

/** Returns a function that updates the head item of a run. The update must be idempotent. Undefined: the condition is false. */
export function runUpdates({ documents, table }: DynamoTable) {
  return (runId: string, input: Omit<UpdateCommandInput, "TableName" | "Key">) => {
    const command = { TableName: table, Key: { pk: partition(runId), sk: head }, ...input };
    return sendConditional(() => documents.send(new UpdateCommand(command)));
  };
}

export function backOff(attempt: number): Promise<void> {
  return pause(fullJitter(attempt, { first: firstPause }));
}

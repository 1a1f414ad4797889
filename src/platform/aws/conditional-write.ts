import { UpdateCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import { fullJitter, pause } from "../../async/backoff.ts";
import type { DynamoTable } from "./clients.ts";
import { isConditionFailure, isTransientCancellation } from "./errors.ts";
import { partition } from "./run-items.ts";
import { head } from "./table.ts";

export const attempts = 5;
const firstPause = 40; // ms; 1.2 s in all at most

/**
 * Undefined when the write's condition failed. Contention and throttling say nothing about it: those are tried again.
 */
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

/** What an update of a run's own item returns. Undefined when its condition failed; it must bear being repeated. */
export function runUpdates({ documents, table }: DynamoTable) {
  return (runId: string, input: Omit<UpdateCommandInput, "TableName" | "Key">) => {
    const command = { TableName: table, Key: { pk: partition(runId), sk: head }, ...input };
    return sendConditional(() => documents.send(new UpdateCommand(command)));
  };
}

export function backOff(attempt: number): Promise<void> {
  return pause(fullJitter(attempt, { first: firstPause }));
}

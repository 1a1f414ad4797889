import { LeftTheRecord } from "../agent/tools/recorded.ts";
import type { TurnOutcome } from "../agent/turn/types.ts";

/** A turn of a trial that left the record has failed. `remedy`: by default that of a trial with rules for such calls. */
export function leftRecord(running: Promise<TurnOutcome>, remedy = tryAnotherRule): Promise<TurnOutcome> {
  return running.catch((error: unknown) => {
    if (!(error instanceof LeftTheRecord)) throw error;
    const title = `The turn called ${error.tool}, and the recorded turn has no answer to this call.`;
    return { kind: "failed", failure: { category: "left_record", title, remedy, retryable: false } };
  });
}

const tryAnotherRule =
  "Choose for the tool what a trial answers to such calls: an error, a fixed text, or a live call.";

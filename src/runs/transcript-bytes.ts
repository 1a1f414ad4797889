import type { RunChange, TurnMessage } from "./run-types.ts";

/**
 * UTF-8 bytes that a change adds to the transcript of a run and its queued inputs. An input that leaves the queue is
 * counted already. Inputs that are dropped stay counted: a run that drops them accepts no more.
 */
export function transcriptBytesOf({
  messages = [],
  queue,
}: Pick<RunChange, "queue"> & { messages?: TurnMessage[] }): number {
  const taken = typeof queue === "object" && "take" in queue ? queue.take : undefined;
  let bytes = typeof queue === "object" && "add" in queue ? Buffer.byteLength(queue.add.text) : 0;
  for (const { turn, role, text } of messages) {
    if (turn !== taken || role !== "input_to_agent") bytes += Buffer.byteLength(text);
  }
  return bytes;
}

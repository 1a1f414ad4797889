import { eventsOf } from "../../src/runs/read/list-events.ts";
import type { Runs } from "../../src/runs/ports.ts";
import type { RunEvent } from "../../src/runs/run-types.ts";

/**
 * Violations of the rules for the events of a run: numbers from 1 without gaps and doubles, the last of which stands in
 * the run; no time before the creation of the run; the messages of the transcript in its order.
 */
export async function violations(runs: Runs, runId: string): Promise<string[]> {
  const wrong: string[] = [];
  const before = await runs.read(runId);
  const events: RunEvent[] = [];
  for await (const event of eventsOf({ runs }, runId)) events.push(event);
  const after = await runs.read(runId);
  if (!before || !after) return [`run ${runId} is gone`];
  const numbers = events.map(({ sequence }) => sequence);
  if (numbers.some((number, index) => number !== index + 1)) wrong.push(`events are numbered ${numbers.join()}`);
  // The run may have continued between the reads.
  if (events.length < before.run.sequence || events.length > after.run.sequence) {
    wrong.push(`${events.length} events, but the run counts ${after.run.sequence}`);
  }
  const early = events.filter(({ at }) => at === undefined || at < after.run.createdAt);
  if (early.length > 0) wrong.push(`recorded before the run was created: ${JSON.stringify(early)}`);
  const messages = events.flatMap((event) => ("role" in event ? [event.text] : []));
  const transcript = after.transcript.map(({ text }) => text).slice(0, messages.length);
  if (JSON.stringify(messages) !== JSON.stringify(transcript)) wrong.push(`messages ${JSON.stringify(messages)}`);
  return wrong;
}

import { deliveryTypes } from "../../src/runs/status.ts";
import type { Stores } from "../../src/runs/ports.ts";
import type { Run } from "../../src/runs/run-types.ts";

/**
 * Violations of the rule that a run with a webhook has one delivery for each turn with an output, and one for its end by a
 * failure or a stop. Not for erased runs. Empty if the run changes meanwhile.
 */
export async function deliveryViolations(
  { runs, deliveries }: Pick<Stores, "runs" | "deliveries">,
  runId: string,
): Promise<string[]> {
  const before = await runs.read(runId);
  if (!before) return [`run ${runId} is gone`];
  const possible = Array.from({ length: before.run.turn }, (_, index) =>
    deliveryTypes.map((type) => messageIdOf(before.run, index + 1, type)),
  ).flat();
  const found = await Promise.all(possible.map((id) => deliveries.find(id)));
  const after = await runs.read(runId);
  if (JSON.stringify(after) !== JSON.stringify(before)) return [];
  const actual = found.flatMap((delivery) => delivery?.messageId ?? []).toSorted();
  const expected = expectedOf(before).toSorted();
  return actual.join() === expected.join() ? [] : [`deliveries ${actual.join()}; expected ${expected.join()}`];
}

function expectedOf({ run, transcript }: NonNullable<Awaited<ReturnType<Stores["runs"]["read"]>>>): string[] {
  const outputs = transcript.filter(({ role }) => role === "output_from_agent");
  const finished = outputs.map((_, index) => messageIdOf(run, index + 1, "run.finished"));
  if (run.status === "technical_error") return [...finished, messageIdOf(run, run.turn, "run.failed")];
  if (run.status === "terminated") return [...finished, messageIdOf(run, run.turn, "run.terminated")];
  return finished;
}

export function messageIdOf({ id }: Run, turn: number, type: (typeof deliveryTypes)[number]): string {
  return `msg_${id.replaceAll("-", "")}_${turn}_${type.slice("run.".length)}`;
}

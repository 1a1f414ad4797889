import { changeAttributes } from "../change-attributes.ts";
import type { Labels } from "../labels.ts";
import type { Uses } from "../ports.ts";
import type { Run } from "../run-types.ts";

/** Replaces the labels of a run, whatever its status. Rejects for a deleted run. Resolves with the changed run. */
export async function setLabels(deps: Uses<"runs" | "now" | "actor">, id: string, labels: Labels): Promise<Run> {
  const change = { action: "run.label", name: "labels" } as const;
  const { labels: _before, ...others } = await changeAttributes(deps, id, change, () => ({ labels }));
  return { ...others, ...(Object.keys(labels).length > 0 && { labels }) };
}

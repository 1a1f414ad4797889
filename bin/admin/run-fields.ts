import type { RunLimits } from "../../src/agent/turn/limits.ts";
import type { ChosenSettings } from "../../src/runs/chosen-settings.ts";
import type { Run } from "../../src/runs/types.ts";
import { isoTime } from "./output.ts";

/** A run as lists and results of commands print it. `waits_until`: until when its calls wait for answers. `imported_from`: the run that was recorded. */
export function runFields(run: Run) {
  const { id, name, status, waiting, askedUntil, turn, agentId, createdAt, updatedAt, imported, chosen } = run;
  return {
    id,
    name,
    status,
    waiting: waiting || undefined,
    waits_until: askedUntil === undefined ? undefined : isoTime(askedUntil),
    turns: turn,
    agent: agentId,
    ...(chosen && chosenFields(chosen)),
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
    imported_from: imported?.runId,
  };
}

/** What the create of a run chose: `run.dollars=0.5`. */
function chosenFields({ model, limits, runLimits }: ChosenSettings) {
  const all = [...limitTexts("turn", limits), ...limitTexts("run", runLimits)];
  return { chosen_model: model, chosen_limits: all.length > 0 ? all.join(" ") : undefined };
}

function limitTexts(of: string, limits: RunLimits = {}): string[] {
  return Object.entries(limits).map(([name, most]) => `${of}.${name}=${most}`);
}

/** Usage of a run so far. Empty for a run without model calls. */
export function runUsage({ used }: Run) {
  if (!used) return {};
  const { steps: model_calls, inputTokens, outputTokens, dollars } = used;
  return {
    model_calls,
    tokens: inputTokens + outputTokens,
    input_tokens: inputTokens,
    cached_input_tokens: used.cachedInputTokens,
    cache_write_input_tokens: used.cacheWriteInputTokens,
    output_tokens: outputTokens,
    reasoning_tokens: used.reasoningTokens,
    estimated_tokens: used.estimatedTokens || undefined,
    dollars: dollars > 0 ? Number(dollars.toFixed(6)) : undefined,
  };
}

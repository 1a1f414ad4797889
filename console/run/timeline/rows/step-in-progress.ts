import type { RunDetail } from "../../api.ts";
import type { TokenUsage } from "../../../api/types.ts";
import type { RunModel } from "../../model/run-model.ts";
import type { LoadedText, Step } from "../../model/run-model-types.ts";
import type { RunStore } from "../../run-store.ts";
import type { Written } from "../../written.ts";

/** Characters of a token: an estimate. */
const charactersPerToken = 4;
const tokensOf = (length: number): number => Math.round(length / charactersPerToken);

/**
 * The step whose answer a model writes, or is asked for. Undefined: there is none, or it has a row already. Its tokens are
 * estimated: those of the step before, and one for four characters that came since.
 */
export function stepInProgress({ model, now, written }: RunStore, activity: RunDetail["activity"]): Step | undefined {
  if (!activity) return undefined;
  const { turn, step, since } = activity;
  const startedAt = Date.parse(since);
  const recorded = model.step(turn, step);
  const grows = written.value?.turn === turn && written.value.step === step && !recorded?.answered;
  if (recorded && !grows && (recorded.calls.some(({ result }) => !result) || !recorded.answered)) return undefined;
  const { text, thinking, thoughtUntil = text ? undefined : now.value } = (grows && written.value) || {};
  const shown = { text: loadedPart(text), ...(thinking && { reasoning: loadedPart(thinking) }) };
  const usage = estimatedUsage(model, shown.text.length + (shown.reasoning?.length ?? 0));
  return {
    turn,
    step: recorded?.answered ? step + 1 : step,
    ...shown,
    index: -1,
    answered: false,
    startedAt,
    calls: [],
    attempts: [],
    ...(thoughtUntil !== undefined && { reasoningMs: Math.max(0, thoughtUntil - startedAt) }),
    ...(usage && { usage, estimated: true }),
  };
}

/** Undefined: nothing is known of what the model reads. `characters`: what it has written. */
function estimatedUsage({ rows, steps }: RunModel, characters: number): TokenUsage | undefined {
  const before = rows.at(-1)?.kind === "summary" ? undefined : steps.at(-1);
  if (!before?.usage) return undefined;
  const { input_tokens: input, output_tokens: output } = before.usage;
  const results = before.calls.reduce((sum, { result }) => sum + (result?.length ?? 0), 0);
  return { ...before.usage, input_tokens: input + output + tokensOf(results), output_tokens: tokensOf(characters) };
}

/** What is known of the text of a step, for its reader. */
export function loadedPart({ from, text }: NonNullable<Written["text"]> = { from: 0, text: "" }): LoadedText {
  const shown = from > 0 ? `…${text}` : text;
  return { text: shown, length: shown.length };
}

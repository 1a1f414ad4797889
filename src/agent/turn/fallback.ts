import type { Failure } from "../model.ts";
import { defaultContextTokens } from "./history/context-window.ts";
import { type AskedFallback, couldSurvive, type GivenUp, nextStep } from "./journal.ts";
import type { AskedModel, ModelCallFailed, TurnInput, TurnState } from "./turn-types.ts";

// A turn keeps its fallback to its end. An outage lasts minutes, and each return would cost the retries of the first model
// again. Each change of the model loses the prompt cache of the conversation and the earlier reasoning. If both fail, the turn
// waits as it does for one model, and then asks each of them once.

/** Failed calls of one model in a turn that its server had answered: the provider may charge for each, so it is not asked again. */
export const maxBegunFailures = 5;

/** The state with the settings and the client of the model that is asked next. */
export function withAskedModel(state: TurnState): TurnState {
  const { given, progress, begun } = state;
  const { fallback } = given.input;
  if (!fallback || !given.ports.fallback) return state;
  const { down } = progress;
  const isDue = down?.next === "fallback" || begun.failures >= maxBegunFailures;
  const isFallback = down !== undefined && isDue && begun.ofFallback < maxBegunFailures;
  const isKnown = (isFallback ? down.fallback : down?.first) !== undefined;
  const input = {
    ...(isFallback ? { ...withoutModel(given.input), ...fallback } : given.input),
    ...(isKnown && { maxRetryWaitMs: 0 }),
  };
  return {
    ...state,
    input,
    ports: isFallback ? { ...given.ports, model: given.ports.fallback } : given.ports,
    contextTokens:
      isFallback === state.isFallback ? state.contextTokens : (input.contextTokens ?? defaultContextTokens),
    isFallback,
  };
}

/** The input without the settings of its first model. */
function withoutModel(input: TurnInput): Omit<TurnInput, keyof AskedModel> {
  const { modelName: _name, modelConfiguration: _configuration, provider: _provider, ...settings } = input;
  const { parameters: _parameters, prices: _prices, contextTokens: _window, ...others } = settings;
  return others;
}

/** Whether the fallback can be asked after this failure. */
export function hasFallback({ given, isFallback, begun }: TurnState, failure: Failure): boolean {
  const { input, ports } = given;
  const isUsable = input.fallback !== undefined && ports.fallback !== undefined && begun.ofFallback < maxBegunFailures;
  return isUsable && !isFallback && couldSurvive(failure);
}

/** The state that asks the fallback, after the retries of the first model. Undefined: there is no fallback, or it cannot help. */
export function withFallback(state: TurnState, failed: ModelCallFailed): TurnState | undefined {
  const { progress, ports } = state;
  const { failure, retryAfterMs } = failed;
  if (!hasFallback(state, failure)) return undefined;
  const { category, title } = failure;
  const first: GivenUp = { category, title, ...(retryAfterMs !== undefined && { waitMs: retryAfterMs }) };
  ports.emit({ type: "fallback-asked", step: nextStep(progress), failure });
  return withAskedModel({ ...state, progress: { ...progress, down: { ...progress.down, first, next: "fallback" } } });
}

/** The failure of a call, which names both models if the fallback failed too. It can pass if either can. */
export function ofBoth({ given, progress, isFallback }: TurnState, failed: ModelCallFailed): ModelCallFailed {
  const first = progress.down?.first;
  if (!isFallback || !first) return failed;
  const { failure, retryAfterMs, last, ...others } = failed;
  const named = `${nameOf(given.input.modelName, "first model")}: ${sentence(first.title)} ${nameOf(given.input.fallback?.modelName, "fallback")}: ${sentence(failure.title)}`;
  const both: Failure = {
    category: first.category,
    title: `Both models of the agent failed. ${named}`,
    remedy: failure.remedy,
    // An answer that has been paid for is recorded with the end of the turn.
    retryable: !last && (failure.retryable || first.category === "model_unavailable"),
  };
  const waits = [first.waitMs, retryAfterMs].filter((wait) => wait !== undefined);
  return {
    ...others,
    ...(last && { last }),
    failure: both,
    ...(waits.length === 2 && { retryAfterMs: Math.min(...waits) }),
  };
}

/** What entries of the fallback's calls record. Empty: the first model is asked. */
export function askedFallback({ input, progress, isFallback }: TurnState): { fallback?: AskedFallback } {
  const first = progress.down?.first;
  if (!isFallback || !first) return {};
  const { modelName: model, modelConfiguration: configuration } = input;
  return {
    fallback: {
      ...(model !== undefined && { model }),
      ...(configuration !== undefined && { configuration }),
      failure: first,
    },
  };
}

function nameOf(model: string | undefined, other: string): string {
  return model ?? `The ${other}`;
}

function sentence(title: string): string {
  return title.replace(/\.?$/, ".");
}

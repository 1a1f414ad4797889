import { withTimeout } from "../../async/with-timeout.ts";
import type { Failure, ModelConfiguration, TokenUsage } from "../model.ts";
import type { ReadSecret } from "../secret.ts";
import { openModel } from "./open-model.ts";
import { configurationFields, setModel } from "./model-config.ts";

/** The result of one short call. `milliseconds`: its duration, opening the model included. */
export interface ModelTestResult {
  milliseconds: number;
  /** The provider's name of the model. Absent: the configuration has none. */
  model?: string;
  outcome: { text: string; usage: TokenUsage } | { failure: Failure };
}

const maxMilliseconds = 20_000;

/** Enough for a word and some reasoning before it. */
const maxOutputTokens = 200;

/**
 * Calls a model once, with the code that turns use, for at most 20 seconds. A disabled model is called, too. Nothing is
 * retried. `failure` is the one that a run would have, with a remedy for settings that nobody has stored; it contains no secret.
 */
export async function testModel(
  configuration: ModelConfiguration | undefined,
  readSecret: ReadSecret,
  now: () => number,
): Promise<ModelTestResult> {
  const startedAt = now();
  const { model: name } = configuration ? configurationFields(configuration) : {};
  const outcome = await callOnce(configuration && { ...configuration, enabled: true }, readSecret);
  return { milliseconds: now() - startedAt, ...(name !== undefined && { model: name }), outcome };
}

async function callOnce(
  configuration: ModelConfiguration | undefined,
  readSecret: ReadSecret,
): Promise<ModelTestResult["outcome"]> {
  const result = await withTimeout(maxMilliseconds, new AbortController().signal, async (signal) => {
    const opened = await openModel(configuration, undefined, readSecret);
    if ("failure" in opened) return opened;
    return opened.model({
      instructions: "This is a connection test. Answer with one word.",
      messages: [{ role: "user", text: "Answer with OK." }],
      tools: [],
      parameters: { maxOutputTokens },
      signal,
    });
  });
  if (result.timedOut) return { failure: noAnswer };
  if ("failure" in result.value)
    return { failure: configuration ? ofSettings(result.value.failure) : result.value.failure };
  const { text, usage } = result.value.answer;
  return { text, usage };
}

function ofSettings(failure: Failure): Failure {
  return failure.remedy === setModel ? { ...failure, remedy: "Correct the settings, then test them again." } : failure;
}

const noAnswer: Failure = {
  category: "model_unavailable",
  title: `The model did not answer within ${maxMilliseconds / 1_000} seconds.`,
  remedy: "Check the address and the load of the model server. A server may need longer to load a model: test again.",
  retryable: true,
};

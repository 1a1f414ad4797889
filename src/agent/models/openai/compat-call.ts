import { APICallError } from "@ai-sdk/provider";
import type { OpenAiCompat } from "../../model.ts";
import type { ProviderAdapter } from "../provider-adapter.ts";
import { setRequestForm } from "../errors/exchange.ts";
import { type CompatRule, findRuleForError, initialRules } from "./openai-compat.ts";
import { readProviderError } from "../errors/provider-error.ts";

/**
 * Calls a server with the compatibility rules that it needs. A rejected request is retried with the rule that matches the
 * error, one rule after another. Rules that worked are remembered for as long as the model stays open.
 */
export function compatCall<Request>(
  table: readonly CompatRule<Request>[],
  callWith: (rules: readonly CompatRule<Request>[]) => ProviderAdapter["call"],
  { baseUrl, compat }: { baseUrl: string; compat: OpenAiCompat },
): ProviderAdapter["call"] {
  const withRules = (rules: readonly CompatRule<Request>[]) => ({ rules, call: callWith(rules) });
  let remembered = withRules(initialRules(table, baseUrl, compat));
  const send = async (
    options: Parameters<ProviderAdapter["call"]>[0],
    attempt: typeof remembered,
  ): ReturnType<ProviderAdapter["call"]> => {
    const { rules, call } = attempt;
    if (rules.length > 0) setRequestForm({ compat: settingsOf(rules) });
    let response;
    try {
      response = await call(options);
    } catch (error) {
      const rule = findRule(table, error, rules, compat);
      if (!rule) throw error;
      return send(options, withRules([...rules, rule]));
    }
    const lasting = rules.filter(({ once }) => !once);
    if (lasting.length > remembered.rules.length) {
      remembered = lasting.length === rules.length ? attempt : withRules(lasting);
    }
    return response;
  };
  return (options) => send(options, remembered);
}

function settingsOf<Request>(rules: readonly CompatRule<Request>[]): OpenAiCompat {
  return Object.fromEntries(rules.map(({ setting, value }) => [setting, value]));
}

function findRule<Request>(
  table: readonly CompatRule<Request>[],
  error: unknown,
  applied: readonly CompatRule<Request>[],
  compat: OpenAiCompat,
): CompatRule<Request> | undefined {
  if (!APICallError.isInstance(error) || error.statusCode === undefined) return undefined;
  const text = readProviderError(error)?.text ?? "";
  const request = error.requestBodyValues as Request;
  return findRuleForError(table, { status: error.statusCode, text, request }, applied, compat);
}

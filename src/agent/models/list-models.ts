import { APICallError } from "@ai-sdk/provider";
import { isObject } from "../../json.ts";
import { withTimeout } from "../../async/with-timeout.ts";
import type { Failure, ModelConfiguration } from "../model.ts";
import type { ReadSecret } from "../secret.ts";
import { createModelFetch } from "./errors/http-client.ts";
import { readKey } from "./open-model.ts";
import { anthropicUrl } from "./model-config.ts";
import { type ModelEndpoint, modelFailure } from "./errors/model-error.ts";

const maxMilliseconds = 10_000;
const maxModels = 2_000;
/** Characters of a model's name. Configurations accept as many. */
const maxName = 200;

/**
 * The names of the models that a server offers, sorted. Takes 10 seconds at most. A server without a list is a failure, as
 * is Bedrock, whose list needs another permission than its calls.
 */
export async function listModels(
  configuration: ModelConfiguration,
  readSecret: ReadSecret,
): Promise<{ models: string[] } | { failure: Failure }> {
  const { provider } = configuration;
  if (provider === "demo" || provider === "bedrock") return { failure: noList };
  const key = await readKey(configuration, readSecret);
  if ("failure" in key) return key;
  const { endpoint, url, headers } = listRequest(provider, configuration.baseUrl ?? anthropicUrl, key.apiKey);
  const result = await withTimeout(maxMilliseconds, new AbortController().signal, async (signal) => {
    try {
      return { models: namesIn(await read(url, headers, signal)) };
    } catch (error) {
      signal.throwIfAborted();
      return modelFailure(error, endpoint, { instructions: "", messages: [], tools: [], signal });
    }
  });
  return result.timedOut ? { failure: noAnswer } : result.value;
}

/** The request for the list of a server. Its key opens it. */
function listRequest(
  provider: "openai-compatible" | "openai-responses" | "anthropic",
  address: string,
  apiKey: string | undefined,
): { endpoint: ModelEndpoint; url: string; headers: Record<string, string> } {
  const endpoint = {
    provider,
    address,
    model: "any",
    api: provider === "anthropic" ? "Anthropic's Messages API" : "an OpenAI-compatible API with a list of models",
    credentials: "the API key that the settings name",
    secrets: () => (apiKey === undefined ? [] : [apiKey]),
  };
  const url = `${address.replace(/\/+$/, "")}/models`;
  if (provider === "anthropic") {
    const headers = { "x-api-key": apiKey ?? "", "anthropic-version": "2023-06-01" };
    return { endpoint, url: `${url}?limit=1000`, headers };
  }
  return { endpoint, url, headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` } };
}

async function read(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<unknown> {
  const fetch = createModelFetch({ idleTimeout: maxMilliseconds, type: /json/ });
  const response = await fetch(url, { headers, signal });
  const responseBody = await response.text();
  if (!response.ok) {
    const message = `HTTP status ${response.status}`;
    throw new APICallError({ message, url, requestBodyValues: {}, statusCode: response.status, responseBody });
  }
  return JSON.parse(responseBody);
}

/** Servers send `{data: [{id}]}`; Together AI sends the array alone. */
function namesIn(json: unknown): string[] {
  const list = isObject(json) ? json["data"] : json;
  const entries = Array.isArray(list) ? list.filter(isObject) : [];
  const names = entries.flatMap(({ id }) => (typeof id === "string" && id !== "" && id.length <= maxName ? [id] : []));
  return [...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1)).slice(0, maxModels);
}

const noList: Failure = {
  category: "model_configuration",
  title: "This provider has no list of models that its settings open.",
  remedy: "Enter the model's name as the provider's documentation has it.",
  retryable: false,
};

const noAnswer: Failure = {
  category: "model_unavailable",
  title: "The model server did not list its models within 10 seconds.",
  remedy: "Check that the server is running and that the base URL is correct.",
  retryable: true,
};

import type { Schemas } from "../api/types.ts";

export type Model = Schemas["Model"];
export type ModelSettings = Schemas["ModelSettings"];
export type Provider = Model["provider"];
type SettingName = "base_url" | "model" | "secret" | "region" | "idle_seconds" | "compat";

export const providerNames: Record<Provider, string> = {
  anthropic: "Anthropic",
  "openai-compatible": "OpenAI-compatible server",
  "openai-responses": "Responses API server",
  bedrock: "Amazon Bedrock",
  demo: "Demo model",
};

/** The settings of each provider in the order of the form: true if required (src/accounts/model-settings.ts). */
export const settingsOf: Record<Provider, Partial<Record<SettingName, boolean>>> = {
  anthropic: { model: true, secret: true, base_url: false, idle_seconds: false },
  "openai-compatible": { base_url: true, model: true, secret: false, idle_seconds: false, compat: false },
  "openai-responses": { base_url: true, model: true, secret: false, idle_seconds: false, compat: false },
  bedrock: { model: true, region: true, base_url: false, idle_seconds: false },
  demo: {},
};

/** Settings to begin with, of a server that people often use. */
export interface Preset {
  name: string;
  provider: Provider;
  settings: Partial<Record<Exclude<SettingName, "compat">, string>>;
  note: string;
}

export const presets: Preset[] = [
  {
    name: "Anthropic",
    provider: "anthropic",
    settings: { model: "claude-sonnet-5", secret: "env:ANTHROPIC_API_KEY" },
    note: "Claude models over Anthropic's API.",
  },
  {
    name: "OpenAI",
    provider: "openai-compatible",
    settings: { base_url: "https://api.openai.com/v1", secret: "env:OPENAI_API_KEY" },
    note: "Models over OpenAI's chat completions API.",
  },
  {
    name: "OpenAI Responses",
    provider: "openai-responses",
    settings: { base_url: "https://api.openai.com/v1", secret: "env:OPENAI_API_KEY" },
    note: "Models over OpenAI's Responses API. They keep their reasoning between steps.",
  },
  {
    name: "Ollama",
    provider: "openai-compatible",
    settings: { base_url: "http://127.0.0.1:11434/v1" },
    note: "A model on this machine. `ollama list` names those that are installed.",
  },
  {
    name: "vLLM or LiteLLM",
    provider: "openai-compatible",
    settings: { base_url: "http://127.0.0.1:8000/v1" },
    note: "vLLM listens on port 8000, a LiteLLM proxy on port 4000.",
  },
  {
    name: "Amazon Bedrock",
    provider: "bedrock",
    settings: { region: "us-east-1" },
    note: "Uses the AWS credentials of the service. It needs no secret.",
  },
  {
    name: "OpenAI on Bedrock",
    provider: "openai-responses",
    settings: {
      base_url: "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1",
      secret: "env:AWS_BEARER_TOKEN_BEDROCK",
    },
    note: "OpenAI's models in AWS regions, with an API key of Bedrock.",
  },
  {
    name: "Demo",
    provider: "demo",
    settings: {},
    note: "A scripted model without a network, to try the service.",
  },
];

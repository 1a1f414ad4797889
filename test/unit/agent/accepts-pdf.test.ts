import { expect, test } from "vitest";
import type { ModelConfiguration } from "../../../src/agent/model.ts";
import { acceptsPdf } from "../../../src/agent/models/accepts-pdf.ts";

const server = (provider: "openai-compatible" | "openai-responses", host: string): ModelConfiguration => ({
  enabled: true,
  provider,
  baseUrl: `https://${host}/v1`,
  model: "m",
});
const bedrock = (model: string): ModelConfiguration => ({
  enabled: true,
  provider: "bedrock",
  region: "eu-central-1",
  model,
});
const anthropic = (model: string, baseUrl?: string): ModelConfiguration => ({
  enabled: true,
  provider: "anthropic",
  model,
  secret: "env:K",
  ...(baseUrl !== undefined && { baseUrl }),
});
const withSetting = (configuration: ModelConfiguration, accepts: boolean): ModelConfiguration =>
  ({ ...configuration, compat: { acceptsPdf: accepts } }) as ModelConfiguration;

test.each([
  [anthropic("claude-sonnet-5"), true],
  [anthropic("claude-sonnet-5", "http://127.0.0.1:4000"), true],
  [anthropic("glm-5", "https://api.z.ai/api/anthropic"), false],
  [server("openai-compatible", "api.openai.com"), true],
  [server("openai-compatible", "openrouter.ai"), true],
  [server("openai-compatible", "notopenai.com"), false],
  [server("openai-compatible", "my.openai.azure.com"), false],
  [server("openai-compatible", "127.0.0.1:11434"), false],
  [withSetting(server("openai-compatible", "127.0.0.1:11434"), true), true],
  [withSetting(server("openai-compatible", "api.openai.com"), false), false],
  [server("openai-responses", "api.openai.com"), true],
  [server("openai-responses", "my.openai.azure.com"), true],
  [server("openai-responses", "127.0.0.1:4000"), false],
  [withSetting(server("openai-responses", "127.0.0.1:4000"), true), true],
  [bedrock("eu.anthropic.claude-sonnet-4-5-20250929-v1:0"), true],
  [bedrock("anthropic.claude-3-5-sonnet-20241022-v2:0"), true],
  [bedrock("anthropic.claude-3-haiku-20240307-v1:0"), false],
  [bedrock("us.amazon.nova-2-lite-v1:0"), true],
  [bedrock("amazon.nova-pro-v1:0"), true],
  [bedrock("amazon.nova-micro-v1:0"), false],
  [bedrock("eu.meta.llama3-2-3b-instruct-v1:0"), false],
  [bedrock("arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2c3"), false],
  [{ enabled: true, provider: "demo" } satisfies ModelConfiguration, false],
])("%o: %s", (provider, accepts) => {
  expect(acceptsPdf({ choice: {}, provider })).toBe(accepts);
});

test("the agent's own choice of a model counts", () => {
  const provider = bedrock("eu.anthropic.claude-sonnet-4-5-20250929-v1:0");
  expect(acceptsPdf({ choice: { model: "amazon.nova-micro-v1:0" }, provider })).toBe(false);
  expect(acceptsPdf({ choice: {} })).toBe(false);
});

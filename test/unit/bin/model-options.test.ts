import { describe, expect, it } from "vitest";
import { modelFromOptions } from "../../../bin/model-options.ts";
import { modelProblem } from "../../../src/agent/models/model-config.ts";

const flags = {
  provider: "--provider",
  baseUrl: "--base-url",
  model: "--model",
  secret: "--secret",
  region: "--region",
  compat: "--compat",
};
const baseUrl = "http://127.0.0.1:11434/v1";

describe("modelFromOptions", () => {
  it.each([
    { provider: "demo" },
    { provider: "openai-compatible", baseUrl, model: "qwen3" },
    { provider: "openai-compatible", baseUrl, model: "qwen3", secret: "file:key" },
    { provider: "anthropic", model: "claude-sonnet-4-5", secret: "env:KEY" },
    { provider: "anthropic", model: "claude-sonnet-4-5", secret: "secretsmanager:agent-run-service/key", baseUrl },
    { provider: "bedrock", model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", region: "eu-central-1" },
    { provider: "bedrock", model: "m", region: "eu-central-1", baseUrl },
  ])("makes a configuration that can be used of %j", (given) => {
    const model = modelFromOptions(given, flags, true);
    expect(model).toEqual({ ...given, enabled: true });
    expect(modelProblem(model, () => true)).toBeUndefined();
    expect(modelFromOptions(given, flags, false).enabled).toBe(false);
  });

  it("parses compat settings", () => {
    const given = { provider: "openai-compatible", model: "m", baseUrl };
    const compat = "supportsStreamOptions=false,maxTokensField=max_completion_tokens,toolCallIdLength=9";
    expect(modelFromOptions({ ...given, compat }, flags, true)).toMatchObject({
      compat: { supportsStreamOptions: false, maxTokensField: "max_completion_tokens", toolCallIdLength: 9 },
    });
  });

  it.each([
    ["streams=false", '--compat has "streams=false"; it accepts maxTokensField, supportsStreaming,'],
    ["", '--compat has ""; it accepts maxTokensField,'],
    ["toString=1", '--compat has "toString=1"; it accepts maxTokensField,'],
    ["supportsStreaming", '--compat has "supportsStreaming"; supportsStreaming accepts true, false'],
    ["reasoningContent=keep", '"reasoningContent=keep"; reasoningContent accepts echo, omit, require'],
  ])("rejects the compat setting %j", (compat, problem) => {
    const given = { provider: "openai-compatible", model: "m", baseUrl, compat };
    expect(() => modelFromOptions(given, flags, true)).toThrow(problem);
    expect(() => modelFromOptions({ ...given, provider: "demo" }, flags, true)).toThrow("--provider demo takes no ");
  });

  it.each([
    [{}, "--provider is undefined; it takes demo, openai-compatible, anthropic or bedrock"],
    [{ provider: "gpt" }, '--provider is "gpt"; it takes demo, openai-compatible, anthropic or bedrock'],
    [{ provider: "demo", region: "eu-west-1", model: "m" }, "--provider demo takes no --model, --region"],
    [
      { provider: "bedrock", secret: "env:K" },
      "--provider bedrock takes no --secret, only --base-url, --model, --region",
    ],
    [{ provider: "anthropic", model: "m" }, "--secret is missing; give where the provider's API key is"],
    [{ provider: "bedrock", model: "m" }, "--region is missing; give the AWS region"],
    [{ provider: "bedrock", model: "m", region: "Frankfurt" }, '--region is "Frankfurt"; give the AWS region'],
    [{ provider: "openai-compatible", model: "m" }, "--base-url is missing"],
    [{ provider: "openai-compatible", model: "m", baseUrl: "localhost:1" }, '--base-url is "localhost:1"; give'],
    [{ provider: "openai-compatible", model: "", baseUrl }, "--model is missing"],
  ])("refuses %j", (given, problem) => {
    expect(() => modelFromOptions(given, flags, true)).toThrow(problem);
  });

  it("does not repeat a key that was pasted where its place belongs", () => {
    const given = { provider: "anthropic", model: "m", secret: "sk-pasted-by-mistake" };
    expect(() => modelFromOptions(given, flags, true)).toThrow(/^--secret says where the key is, not what it is/);
    expect(() => modelFromOptions(given, flags, true)).not.toThrow("sk-pasted");
  });
});

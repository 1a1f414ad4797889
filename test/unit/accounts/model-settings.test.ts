import { describe, expect, it } from "vitest";
import { formatCompat, parseModelSettings } from "../../../src/accounts/model-settings.ts";
import { modelProblem } from "../../../src/agent/models/model-config.ts";

const labels = {
  provider: "--provider",
  baseUrl: "--base-url",
  model: "--model",
  secret: "--secret",
  region: "--region",
  compat: "--compat",
  idleSeconds: "--idle-seconds",
};
const baseUrl = "http://127.0.0.1:11434/v1";

describe("parseModelSettings", () => {
  it.each([
    { provider: "demo" },
    { provider: "openai-compatible", baseUrl, model: "qwen3" },
    { provider: "openai-compatible", baseUrl, model: "qwen3", secret: "file:key" },
    { provider: "openai-responses", baseUrl, model: "gpt-5.1", secret: "env:KEY", idleSeconds: 240 },
    {
      provider: "openai-responses",
      baseUrl: "https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1",
      model: "openai.gpt-5.6",
      secret: "env:AWS_BEARER_TOKEN_BEDROCK",
    },
    { provider: "anthropic", model: "claude-sonnet-4-5", secret: "env:KEY" },
    { provider: "anthropic", model: "claude-sonnet-4-5", secret: "secretsmanager:agent-run-service/key", baseUrl },
    { provider: "bedrock", model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", region: "eu-central-1" },
    { provider: "bedrock", model: "m", region: "eu-central-1", baseUrl },
    { provider: "openai-compatible", baseUrl, model: "qwen3", idleSeconds: 120 },
  ])("returns a usable configuration for %j", (given) => {
    const model = parseModelSettings(given, labels, true);
    expect(model).toEqual({ ...given, enabled: true });
    expect(modelProblem(model, () => undefined)).toBeUndefined();
    expect(parseModelSettings(given, labels, false).enabled).toBe(false);
  });

  it("parses and formats compat settings", () => {
    const given = { provider: "openai-compatible", model: "m", baseUrl };
    const compat = "supportsStreamOptions=false,maxTokensField=max_completion_tokens,toolCallIdLength=9";
    const parsed = {
      supportsStreamOptions: false,
      maxTokensField: "max_completion_tokens",
      toolCallIdLength: 9,
    } as const;
    expect(parseModelSettings({ ...given, compat }, labels, true)).toMatchObject({ compat: parsed });
    expect(formatCompat(parsed)).toBe(compat);
  });

  it.each([
    ["streams=false", '--compat has "streams=false"; expected maxTokensField, supportsStreaming,'],
    ["", '--compat has ""; expected maxTokensField,'],
    ["toString=1", '--compat has "toString=1"; expected maxTokensField,'],
    ["supportsStreaming", '--compat has "supportsStreaming"; supportsStreaming accepts true, false'],
    ["reasoningContent=keep", '"reasoningContent=keep"; reasoningContent accepts echo, omit, require'],
  ])("rejects the compat setting %j", (compat, problem) => {
    const given = { provider: "openai-compatible", model: "m", baseUrl, compat };
    expect(() => parseModelSettings(given, labels, true)).toThrow(problem);
    expect(() => parseModelSettings({ ...given, provider: "demo" }, labels, true)).toThrow(
      "--provider demo does not accept ",
    );
  });

  it("accepts the settings that the provider's API has", () => {
    const given = { provider: "openai-responses", model: "m", baseUrl };
    const compat = "reasoningSummary=omit,supportsPromptCacheKey=false,reasoningContent=omit";
    const model = parseModelSettings({ ...given, compat }, labels, true);
    expect(model).toHaveProperty("compat.supportsPromptCacheKey", false);
    const chat = { maxTokensField: "max_completion_tokens" } as const;
    expect(() => parseModelSettings({ ...given, compat: chat }, labels, true)).toThrow(
      '--compat has "maxTokensField=max_completion_tokens"; expected supportsStreaming, supportsPromptCacheKey,',
    );
    expect(() => parseModelSettings({ ...given, compat: "reasoningContent=require" }, labels, true)).toThrow(
      "reasoningContent accepts echo, omit",
    );
    const other = { ...given, provider: "openai-compatible", compat: "reasoningSummary=omit" };
    expect(() => parseModelSettings(other, labels, true)).toThrow("expected maxTokensField, supportsStreaming,");
  });

  it.each(["openai-compatible", "openai-responses"] as const)(
    "rejects %s on Bedrock without a key, because requests are not signed",
    (provider) => {
      for (const host of ["bedrock-runtime.eu-central-1.amazonaws.com", "bedrock-mantle.us-east-1.api.aws"]) {
        const given = { provider, model: "openai.gpt-oss-120b-1:0", baseUrl: `https://${host}/openai/v1` };
        const problem = /need an API key of Bedrock.* or use the provider bedrock/;
        expect(() => parseModelSettings(given, labels, true)).toThrow(problem);
        expect(modelProblem({ ...given, enabled: true }, () => undefined)).toMatch(problem);
      }
    },
  );

  it.each([
    [{}, "--provider is undefined; expected demo, openai-compatible, openai-responses, anthropic or bedrock"],
    [
      { provider: "gpt" },
      '--provider is "gpt"; expected demo, openai-compatible, openai-responses, anthropic or bedrock',
    ],
    [{ provider: "demo", region: "eu-west-1", model: "m" }, "--provider demo does not accept --model, --region"],
    [
      { provider: "bedrock", secret: "env:K" },
      "--provider bedrock does not accept --secret, only --base-url, --model, --region, --idle-seconds",
    ],
    [{ provider: "anthropic", model: "m" }, "--secret is missing; expected the location of the provider's API key"],
    [{ provider: "bedrock", model: "m" }, "--region is missing; expected the AWS region"],
    [{ provider: "bedrock", model: "m", region: "Frankfurt" }, '--region is "Frankfurt"; expected the AWS region'],
    [{ provider: "openai-compatible", model: "m" }, "--base-url is missing"],
    [{ provider: "openai-compatible", model: "m", baseUrl: "localhost:1" }, '--base-url is "localhost:1"; expected'],
    [{ provider: "openai-compatible", model: "m", baseUrl: "https:///v1" }, '--base-url is "https:///v1"; expected'],
    [{ provider: "openai-compatible", model: "", baseUrl }, "--model is missing"],
  ])("rejects %j", (given, problem) => {
    expect(() => parseModelSettings(given, labels, true)).toThrow(problem);
  });

  it.each(["", "4", "241", "1.5", "a minute"])("rejects %j seconds without data", (idleSeconds) => {
    const given = { provider: "openai-compatible", model: "m", baseUrl, idleSeconds };
    expect(() => parseModelSettings(given, labels, true)).toThrow(
      `--idle-seconds is "${idleSeconds}"; expected whole seconds, 5 to 240`,
    );
    expect(parseModelSettings({ ...given, idleSeconds: "5" }, labels, true)).toMatchObject({ idleSeconds: 5 });
  });

  it.each([
    ["http://user:pasted@host/v1", "a user name or password"],
    ["http://host/v1?key=pasted", "a query"],
    ["http://host/v1#pasted", "a fragment"],
  ])("rejects the base URL %j without repeating it", (given, surplus) => {
    const parse = () => parseModelSettings({ provider: "openai-compatible", model: "m", baseUrl: given }, labels, true);
    expect(parse).toThrow(`--base-url contains ${surplus}, which is stored and shown; remove it, and put a credential`);
    expect(parse).not.toThrow("pasted");
  });

  it("does not repeat a key that was pasted instead of its location", () => {
    const given = { provider: "anthropic", model: "m", secret: "sk-pasted-by-mistake" };
    expect(() => parseModelSettings(given, labels, true)).toThrow(/^--secret must not be the key itself/);
    expect(() => parseModelSettings(given, labels, true)).not.toThrow("sk-pasted");
  });
});

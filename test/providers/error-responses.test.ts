import { describe, expect, it, vi } from "vitest";
import type { ModelFailure, ModelRequest } from "../../src/agent/model.ts";
import { anthropic } from "../../src/agent/models/anthropic.ts";
import { errorRules } from "../../src/agent/models/errors/error-table.ts";
import { openAiCompatible } from "../../src/agent/models/openai/openai-compatible.ts";
import { openAiResponses } from "../../src/agent/models/openai/openai-responses.ts";
import { answerOf, callModel, failureOf, request } from "./call-model.ts";
import { openAiFixture } from "./openai-fixture.ts";
import { responsesFixture } from "./responses-fixture.ts";
import { bedrockFixture, credentials } from "./bedrock-fixture.ts";
import { anthropicFixture } from "./anthropic-fixture.ts";
import { modelServer, type Reply } from "./model-server.ts";
import { streamsResponse, type ProviderFixture } from "./provider-fixture.ts";

const readAttachment = async (): Promise<Uint8Array> => new Uint8Array([1, 2, 3]);

function answers(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return (response) => void response.writeHead(status, headers).end(text);
}

async function refused(reply: Reply, provider: ProviderFixture = openAiFixture, more: Partial<ModelRequest> = {}) {
  const { outcome } = await callModel(provider, [reply, reply], more);
  return { ...(outcome as ModelFailure), ...failureOf(outcome) };
}

it.each(errorRules)("the error table recognizes the example of $vendors", (rule) => {
  expect(rule.example).toMatch(rule.pattern);
  expect(errorRules.find(({ pattern }) => pattern.test(rule.example))?.diagnosis).toBe(rule.diagnosis);
});

describe("an error response", () => {
  it.each<[string, unknown, string]>([
    ["OpenAI, Groq, llama.cpp, Ollama", { error: { message: "Bad thing", code: null } }, "400: Bad thing"],
    ["vLLM and Mistral", { object: "error", message: "Bad thing", type: "BadRequestError" }, "400: Bad thing"],
    ["LM Studio", { error: "Bad thing" }, "400: Bad thing"],
    ["xAI", { code: "Client specified an invalid argument", error: "Bad thing" }, "400: Bad thing"],
    ["Gemini", [{ error: { code: 400, message: "Bad thing", status: "INVALID_ARGUMENT" } }], "400: Bad thing"],
    ["AWS", { Message: "Bad thing" }, "400: Bad thing"],
    ["a proxy", { statusCode: 400, error: "Bad Request", message: "Bad thing" }, "400: Bad thing"],
    ["a proxy in plain text", "Bad thing\n", "400: Bad thing"],
    ["a proxy as an HTML page", "<html><h1>400</h1></html>", "400: Bad Request"],
    ["FastAPI", { detail: "Bad thing" }, "400: Bad thing"],
    [
      "FastAPI's validation",
      { detail: [{ loc: ["body", "top_k"], msg: "Bad thing", input: { messages: "secret" } }] },
      "400: body.top_k: Bad thing",
    ],
    ["Mistral's validation", { message: { detail: [{ loc: ["body"], msg: "Bad thing" }] } }, "400: body: Bad thing"],
    [
      "a router",
      { error: { message: "Provider returned error", metadata: { raw: '{"error":{"message":"Bad thing"}}' } } },
      "400: Provider returned error: Bad thing",
    ],
    ["deeply nested JSON", `${'{"error":'.repeat(20_000)}1${"}".repeat(20_000)}`, "400: Bad Request"],
  ])("is quoted in the failure: %s", async (_, body, words) => {
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
    for (const provider of [openAiFixture, responsesFixture, anthropicFixture, bedrockFixture]) {
      const { title, category } = await refused(answers(400, body), provider);
      expect(title.slice(-words.length)).toBe(words);
      expect(category).toBe("model_refused");
    }
    vi.unstubAllEnvs();
  });

  it.each([
    [429, { error: { message: "Quota.", type: "insufficient_quota", code: "insufficient_quota" } }],
    [429, { error: { message: "Suspended.", type: "exceeded_current_quota_error" } }],
    [400, { type: "error", error: { type: "invalid_request_error", message: "Your credit balance is too low to …" } }],
  ])("about missing credit is not retried: %i %j", async (status, body) => {
    const { retryable, remedy, category } = await refused(answers(status, body));
    expect({ retryable, category }).toEqual({ retryable: false, category: "model_configuration" });
    expect(remedy).toBe("Check the provider account's credit.");
  });

  it.each<[string, number, object, string, RegExp]>([
    [
      "reasoning that the model does not have",
      400,
      { error: { message: '"tinytools" does not support thinking', type: "invalid_request_error", code: null } },
      "model_configuration",
      /^Remove parameters\.reasoningEffort from the agent/,
    ],
    [
      "reasoning that a proxy does not pass on",
      400,
      {
        error: {
          message:
            "litellm.UnsupportedParamsError: m doesn't support `reasoning.effort` (its model cost map entry lacks " +
            "`supports_reasoning`). To drop unsupported params set `litellm.drop_params = True`",
        },
      },
      "model_configuration",
      /^Remove parameters\.reasoningEffort from the agent/,
    ],
    [
      "a service tier that the model does not have",
      400,
      { error: { type: "invalid_request_error", message: "Unsupported service_tier: flex" } },
      "model_configuration",
      /^Remove parameters\.serviceTier from the agent/,
    ],
    [
      "a temperature that the model does not have, behind a proxy",
      400,
      {
        error: {
          message:
            "litellm.BadRequestError: OpenAIException - Unsupported value: 'temperature' does not support 0.2 with this " +
            "model. Only the default (1) value is supported. LiteLLM: model group 'm' failed with the error above.",
          code: "400",
        },
      },
      "model_configuration",
      /^Remove parameters\.temperature from the agent/,
    ],
    [
      "more output tokens than the model has",
      400,
      { error: { message: "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for m" } },
      "model_configuration",
      /parameters\.maxOutputTokens to a value that 'm' supports/,
    ],
    [
      "a model without tools",
      400,
      { error: { message: "registry.ollama.ai/library/gemma:2b does not support tools", type: "api_error" } },
      "model_configuration",
      /^Use a model that supports tools/,
    ],
    [
      "a model that the proxy does not know",
      400,
      {
        error: {
          message: "/chat/completions: Invalid model name passed in model=nosuchmodel. Call `/v1/models` to view …",
          type: "None",
          param: "None",
          code: "400",
        },
      },
      "model_configuration",
      /has the model 'm'/,
    ],
    [
      "Azure's content filter behind a proxy",
      400,
      {
        error: {
          message:
            "litellm.BadRequestError: OpenAIException - The response was filtered due to the prompt triggering Azure " +
            "OpenAI's content management policy. Please modify your prompt and retry.",
          code: "400",
        },
      },
      "model_refused",
      /another content filter/,
    ],
    [
      "Azure's content filter nested in a proxy's message",
      400,
      {
        error: {
          message:
            'Error code: 400 - {"error":{"message":"The response was filtered due to the prompt triggering Azure ' +
            'OpenAI\'s content management policy.","code":"content_filter"}}',
          code: "400",
        },
      },
      "model_refused",
      /another content filter/,
    ],
    [
      "missing credit behind a proxy that drops the code",
      429,
      {
        error: {
          message:
            "litellm.RateLimitError: RateLimitError: OpenAIException - You exceeded your current quota, please check " +
            "your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs",
          type: "throttling_error",
          code: "429",
        },
      },
      "model_configuration",
      /account's credit/,
    ],
  ])("has the remedy for %s", async (_, status, body, category, remedy) => {
    const failure = await refused(answers(status, body));
    expect(failure).toMatchObject({ category, retryable: false, remedy: expect.stringMatching(remedy) });
  });

  it("about a rate limit of Gemini behind a proxy is retried", async () => {
    const message =
      "litellm.RateLimitError: geminiException - You exceeded your current quota, please check your plan and billing " +
      "details. * Quota exceeded for metric: generate_content_free_tier_requests, limit: 10";
    expect(await refused(answers(429, { error: { message, code: "429" } }))).toMatchObject({ retryable: true });
  });

  it("with status 404 names /v1 when the base URL has no version", async () => {
    for (const [path, words] of [
      ["", /ends in \/v1/],
      ["/v1", /^Check the base URL and that/],
    ] as const) {
      await using server = await modelServer(answers(404, { detail: "Not Found" }));
      const address = new URL(path || "/", server.baseUrl).href.replace(/\/$/, "");
      const failure = failureOf(await anthropicFixture.open(address, {})(request()));
      expect(failure).toMatchObject({ category: "model_configuration", remedy: expect.stringMatching(words) });
    }
  });

  it("about a rate limit is retried after the delay in its body or header", async () => {
    const message = "You exceeded your current quota, please check your plan and billing details.";
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" }];
    const body = [{ error: { code: 429, message, status: "RESOURCE_EXHAUSTED", details } }];
    expect(await refused(answers(429, body))).toMatchObject({ retryable: true, retryAfterMs: 34_500 });
    expect(await refused(answers(429, body, { "retry-after": "7" }))).toMatchObject({ retryAfterMs: 7_000 });
  });

  it.each<[string, string, Record<string, string>, number | undefined]>([
    ["OpenAI", "Limit 30000, Used 29000. Please try again in 2.5s. Visit https://x.test.", {}, 2_500],
    ["OpenAI, below a second", "Please try again in 120ms.", {}, 120],
    ["Groq", "Limit 6000, Used 5000, Requested 2000. Please try again in 1m26.4s. Need more tokens?", {}, 86_400],
    ["Groq, by the day", "Please try again in 2h3m4s.", {}, 7_384_000],
    ["Azure", "Please retry after 26 seconds.", {}, 26_000],
    ["Gemini, in words", "Resource has been exhausted. Please retry in 3.2s.", {}, 3_200],
    ["a header before words", "Please try again in 2.5s.", { "retry-after": "7" }, 7_000],
    [
      "headers of the limit that is used up",
      "Rate limit reached.",
      {
        "x-ratelimit-remaining-requests": "12",
        "x-ratelimit-reset-requests": "2m59.56s",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "7.66s",
      },
      7_660,
    ],
    [
      "headers of two limits, none of which is used up",
      "Rate limit reached.",
      { "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s" },
      1_000,
    ],
    ["a time in place of a duration", "Rate limit reached.", { "x-ratelimit-reset-tokens": "1730000000" }, undefined],
    ["no delay", "Please try again later. Limit 20s.", {}, undefined],
  ])("says how long to wait: %s", async (_, message, headers, milliseconds) => {
    const { retryAfterMs } = await refused(answers(429, { error: { message } }, headers));
    expect(retryAfterMs).toBe(milliseconds);
  });

  it("gives a remedy for the API key and for the content filter", async () => {
    const key = await refused(
      answers(400, [{ error: { message: "API key not valid. Please pass a valid API key." } }]),
    );
    expect(key).toMatchObject({ category: "model_configuration", remedy: expect.stringContaining("API key") });
    const filter = await refused(answers(400, { error: { message: "Filtered", code: "content_filter", status: 400 } }));
    expect(filter).toMatchObject({ category: "model_refused", remedy: expect.stringContaining("filter") });
  });

  it.each<[number, string]>([
    [400, "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens."],
    [400, "Your input exceeds the context window of this model. Please adjust your input and try again."],
    [400, "prompt is too long: 208310 tokens > 200000 maximum"],
    [400, "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"],
    [400, "Input is too long for requested model."],
    [400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
    [400, "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"],
    [400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    [
      413,
      "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7500, please reduce your message size and try again.",
    ],
    [
      429,
      "Request too large for gpt-4: Limit 10000, Requested 12000. The input or output tokens must be reduced in order to run successfully.",
    ],
    [400, "the request exceeds the available context size. try increasing the context size or enable context shift"],
    [500, "the request exceeds the available context size. try increasing the context size or enable context shift"],
    [400, "Trying to keep the first 4563 tokens when context the overflows."],
  ])("about the context length is a context overflow: %i %s", async (status, message) => {
    expect(await refused(answers(status, { error: { message } }))).toMatchObject({
      category: "model_refused",
      retryable: false,
      contextOverflow: true,
      remedy: expect.stringContaining("contextTokens"),
    });
  });

  it.each([
    "tools param requires --jinja flag",
    'Error rendering prompt with jinja template: "Unknown test: sequence"',
    'Failed to parse messages: Unsupported content part type: "file"',
  ])("of a chat template is not retried: %s", async (message) => {
    const failed = await refused(answers(500, { error: { code: 500, message, type: "server_error" } }));
    expect(failed).toMatchObject({ category: "model_refused", retryable: false });
  });

  it("is quoted without the conversation", async () => {
    const text = 'The patient Maria Gonzalez was admitted on 3 May with "acute" pain.\nShe left on 9 May.';
    const quoting = {
      error: { code: 500, message: `Failed to parse messages; messages = ${JSON.stringify([{ text }])}` },
    };
    const { title } = await refused(answers(500, quoting), openAiFixture, { messages: [{ role: "user", text }] });
    expect(title).toContain("Failed to parse messages; messages =");
    expect(title).not.toMatch(/Maria|Gonzalez|admitted/);
  });
});

describe("a request with files", () => {
  const messages: ModelRequest["messages"] = [
    { role: "user", text: "What is this?", attachments: [{ name: "a.png", mediaType: "image/png" }] },
  ];

  it.each<[number, string]>([
    [404, "No endpoints found that support image input"],
    [500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"],
    [500, 'Failed to parse messages: Unsupported content part type: "image_url"'],
    [400, "Invalid content type. image_url is only supported by certain models."],
  ])("is retried without them after %i %s", async (status, message) => {
    const hi = streamsResponse(openAiFixture, { text: ["Hi."] });
    const refusal = answers(status, { error: { message } });
    const { outcome, received } = await callModel(openAiFixture, [refusal, hi], { messages, readAttachment });
    expect(answerOf(outcome).text).toBe("Hi.");
    expect(JSON.stringify(received[1]?.body)).not.toContain("image_url");
  });

  it("is not retried without them when the server is overloaded", async () => {
    const busy = answers(503, { error: { message: "Overloaded" } });
    const { outcome, received } = await callModel(openAiFixture, busy, { messages, readAttachment });
    expect(failureOf(outcome).retryable).toBe(true);
    expect(received).toHaveLength(1);
  });
});

it.each([openAiCompatible, openAiResponses, anthropic])(
  "an API key with invalid characters is not shown by %o",
  async (open) => {
    await using server = await modelServer();
    const model = open({ baseUrl: server.baseUrl, model: "m", apiKey: "sk-crooked\nkey-0123456789" })();
    const failure = failureOf(await model(request()));
    expect(failure.retryable).toBe(false);
    expect(JSON.stringify(failure)).not.toMatch(/crooked|0123456789/);
    expect(server.received).toHaveLength(0);
  },
);

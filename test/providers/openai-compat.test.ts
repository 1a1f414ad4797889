import { describe, expect, it } from "vitest";
import type { Message, ModelRequest } from "../../src/agent/model.ts";
import { answerOf, callModel, failureOf, request, tools } from "./call-model.ts";
import { openAiCompatible } from "../../src/agent/models/openai/openai-compatible.ts";
import {
  chatRules,
  initialRules,
  findRuleForError,
  responsesRules,
} from "../../src/agent/models/openai/openai-compat.ts";
import { callsTool, chunk, streams } from "./chat-completions-server.ts";
import { openAiFixture as provider } from "./openai-fixture.ts";
import { modelServer, type Reply } from "./model-server.ts";

const hi = streams(chunk({ content: "Hi." }), chunk({}, { finish_reason: "stop" }));

function refuses(status: number, body: object): Reply {
  return (response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const answer = {
  text: "",
  toolCalls: [{ id: "call-1", name: "list_files", input: {} }],
  echo: {
    origin: "openai-compatible m",
    messages: [
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm." },
          { type: "tool-call", toolCallId: "call-1", toolName: "list_files", input: {} },
        ],
      },
    ],
  },
};
const withoutEcho = { text: answer.text, toolCalls: answer.toolCalls };
const results = [{ callId: "call-1", name: "list_files", text: "a.txt" }];

function conversation(assistant: typeof withoutEcho): Message[] {
  return [
    { role: "user", text: "Hello" },
    { role: "assistant", answer: assistant },
    { role: "tool", results },
    { role: "user", text: "Go on.", note: true },
  ];
}

/** The role and, in brackets, the other fields of each message. */
function shape({ messages }: { messages: object[] }): string {
  return messages.map((each) => `${(each as { role: string }).role}[${fields(each).toString()}]`).join(" ");
}

function fields(message: object): string[] {
  return Object.keys(message).filter((field) => !/^(role|content)$/.test(field));
}

describe("a rejected request is retried", () => {
  const cases: [string, number, object, Partial<ModelRequest>, string][] = [
    [
      "without reasoning",
      400,
      {
        error: {
          message: "'messages.2' : for 'role:assistant' …('messages.2' : property 'reasoning_content' is unsupported)",
        },
      },
      { messages: conversation(answer) },
      "system[] user[] assistant[tool_calls] tool[tool_call_id] user[]",
    ],
    [
      "with an empty reasoning field",
      400,
      { error: { message: "The `reasoning_content` in the thinking mode must be passed back to the API." } },
      { messages: conversation(withoutEcho) },
      "system[] user[] assistant[tool_calls,reasoning_content] tool[tool_call_id] user[]",
    ],
    [
      "with an assistant message between tool results and user input",
      400,
      {
        object: "error",
        message: "Unexpected role 'user' after role 'tool'",
        type: "invalid_request_message_order",
        code: "3230",
      },
      { messages: conversation(withoutEcho) },
      "system[] user[] assistant[tool_calls] tool[tool_call_id] assistant[] user[]",
    ],
    [
      "for the error that a router quotes",
      400,
      {
        error: {
          message: "Provider returned error",
          metadata: { raw: "{\"message\":\"Unexpected role 'user' after role 'tool'\"}" },
        },
      },
      { messages: conversation(withoutEcho) },
      "system[] user[] assistant[tool_calls] tool[tool_call_id] assistant[] user[]",
    ],
    [
      "with the system prompt in the user message",
      500,
      { error: { code: 500, message: "Jinja Exception: System role not supported", type: "server_error" } },
      {},
      "user[]",
    ],
  ];

  it.each(cases)("%s", async (_, status, body, more, expected) => {
    await using server = await modelServer(refuses(status, body), hi, hi);
    const model = provider.open(server.baseUrl);
    for (const time of [1, 2]) expect(answerOf(await model(request(more))).text, `call ${time}`).toBe("Hi.");
    // The second call uses the rewrite at once.
    expect(server.received).toHaveLength(3);
    expect(server.received.slice(1).map(({ body: sent }) => shape(sent))).toEqual([expected, expected]);
    expect(JSON.stringify(server.received[2]?.body)).toContain("Be brief.");
  });

  it("with tool call ids of nine characters, equal for a call and its result", async () => {
    const words = "Tool call id was call-1 but must be a-z, A-Z, 0-9, with a length of 9.";
    const { received } = await callModel(provider, [refuses(400, { message: words }), hi], {
      messages: conversation(withoutEcho),
    });
    const [id, resultId, ...others] = JSON.stringify(received[1]?.body).match(/[0-9a-f]{9}(?=")/g) ?? [];
    expect(resultId).toBe(id);
    expect(others).toEqual([]);
    expect(JSON.stringify(received[1]?.body)).not.toContain("call-1");
  });

  it("with several rewrites in sequence; one that did not help is not remembered", async () => {
    const stream = refuses(400, { error: "stream=true is not supported" });
    const order = refuses(400, { message: "Unexpected role 'user' after role 'tool'" });
    const messages = conversation(withoutEcho);
    await using server = await modelServer(order, stream, hi, refuses(400, { error: "Streams are bad" }), order);
    const model = provider.open(server.baseUrl);
    expect(answerOf(await model(request({ messages }))).text).toBe("Hi.");
    expect(failureOf(await model(request({ messages }))).title).toContain("Streams are bad");
    expect(server.received).toHaveLength(4);
  });

  it("with tool calls as text when it has no tools", async () => {
    const message =
      "litellm.UnsupportedParamsError: Anthropic doesn't support tool calling without `tools=` param specified.";
    const called = refuses(400, {
      error: { message: "Tool choice is none, but model called a tool", code: "tool_use_failed" },
    });
    for (const refused of [refuses(400, { error: { message } }), called]) {
      const { outcome, received } = await callModel(provider, [refused, hi], {
        messages: conversation(answer),
        tools: [],
      });
      expect(answerOf(outcome).text).toBe("Hi.");
      expect(shape(received[1]?.body ?? { messages: [] })).toBe("system[] user[] assistant[] user[]");
      expect(JSON.stringify(received[1]?.body)).toContain("Result of list_files: a.txt");
    }
  });

  it("not for other errors, or when the rewrite changes nothing", async () => {
    const words = ["No such model", "reasoning_content is unsupported", "Unexpected role 'user' after role 'tool'"];
    for (const message of words) {
      const { outcome, received } = await callModel(provider, refuses(400, { message }), { tools });
      expect(failureOf(outcome).title).toContain(message);
      expect(received).toHaveLength(1);
    }
    expect(
      (await callModel(provider, [refuses(500, { message: "stream error" }), callsTool("list_files", {})])).received,
    ).toHaveLength(1);
  });
});

describe("the compatibility rules", () => {
  const body = {
    stream: true,
    stream_options: {},
    max_tokens: 9,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
      { role: "assistant", content: null, reasoning_content: "Hm.", tool_calls: [{ id: "call-1" }] },
      { role: "tool", tool_call_id: "call-1", content: "None." },
      { role: "user", content: "Go on." },
      { role: "assistant", content: "Done." },
    ],
  };

  it.each(chatRules)("match the example of $vendors and rewrite the request once", (rule) => {
    expect(findRuleForError(chatRules, { status: 400, text: rule.example, request: body }, [], {})).toBe(rule);
    const rewritten = rule.rewrite(body);
    expect(rewritten).not.toEqual(body);
    expect(rule.rewrite(rewritten)).toEqual(rewritten);
  });

  it.each(chatRules)("apply the setting of $vendors when it is configured", ({ setting, value }) => {
    const known = initialRules(chatRules, "https://h/v1", { [setting]: value });
    expect(known.map((rule) => [rule.setting, rule.value])).toEqual([[setting, value]]);
  });

  it.each(responsesRules)("match the example of $vendors for the Responses API", (rule) => {
    const item = { type: "reasoning", id: "rs_1", encrypted_content: "e" };
    const asked = { include: ["i"], reasoning: { summary: "auto" }, prompt_cache_key: "run", stream: true };
    const sent = { input: [item, { role: "user", content: "Hi" }], ...asked };
    expect(findRuleForError(responsesRules, { status: 400, text: rule.example, request: sent }, [], {})).toBe(rule);
    const rewritten = rule.rewrite(sent);
    expect(rewritten).not.toEqual(sent);
    expect(rule.rewrite(rewritten)).toEqual(rewritten);
  });

  it("keep the reasoning effort without a summary", () => {
    const rule = responsesRules.find(({ setting }) => setting === "reasoningSummary");
    const asked = { input: [], reasoning: { effort: "low", summary: "auto" } };
    expect(rule?.rewrite(asked)).toEqual({ input: [], reasoning: { effort: "low" } });
  });

  it.each([
    ["https://api.openai.com/v1", ["maxTokensField"]],
    ["https://r.openai.azure.com/openai/v1", ["maxTokensField"]],
    ["https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1", ["maxTokensField"]],
    ["https://bedrock-mantle.us-east-1.api.aws/v1", ["maxTokensField"]],
    ["https://bedrock-runtime.amazonaws.com.example/openai/v1", []],
    ["https://api.groq.com/openai/v1", ["reasoningContent"]],
    ["https://api.mistral.ai/v1", ["toolCallIdLength"]],
    ["https://openai.com.example/v1", []],
    ["http://127.0.0.1:11434/v1", []],
  ])("recognize %s by its host", (baseUrl, settings) => {
    expect(initialRules(chatRules, baseUrl, {}).map(({ setting }) => setting)).toEqual(settings);
  });

  it("apply from the first request when they are configured", async () => {
    await using server = await modelServer(hi);
    const compat = { supportsStreamOptions: false, supportsSystemRole: false } as const;
    const model = openAiCompatible({ baseUrl: server.baseUrl, model: "m", compat })();
    expect(answerOf(await model(request())).text).toBe("Hi.");
    expect(server.received[0]?.body).not.toHaveProperty("stream_options");
    expect(shape(server.received[0]?.body ?? { messages: [] })).toBe("user[]");
  });

  it("do not change a configured setting", async () => {
    await using server = await modelServer(refuses(400, { message: "stream_options: Extra inputs" }));
    const compat = { supportsStreamOptions: true, supportsStreaming: true } as const;
    const model = openAiCompatible({ baseUrl: server.baseUrl, model: "m", compat })();
    expect(failureOf(await model(request())).title).toContain("Extra inputs");
    expect(server.received).toHaveLength(1);
    expect(initialRules(chatRules, "https://api.openai.com/v1", { maxTokensField: "max_tokens" })).toEqual([]);
  });
});

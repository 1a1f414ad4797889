import dns, { type LookupOptions } from "node:dns";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { LookupFunction } from "node:net";
import { json } from "node:stream/consumers";
import { expect, it, vi } from "vitest";
import { modelWarning } from "../../bin/local/model-warning.ts";
import { openAiCompatible } from "../../src/agent/models/openai/openai-compatible.ts";
import { openAiResponses } from "../../src/agent/models/openai/openai-responses.ts";
import { httpServer } from "../support/http-server.ts";
import { request } from "./call-model.ts";
import { messageItem, responds, usageOf } from "./responses-server.ts";

interface Settings {
  /** Window of the loaded model; undefined: not loaded. */
  loaded?: number;
  /** `parameters` of the model, as `/api/show` prints them. */
  parameters?: string;
  promptTokens?: number;
}

/** A server with the responses of Ollama 0.17.4. `requests` are the paths that it received. */
async function ollama(settings: Settings) {
  const requests: string[] = [];
  const reply = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests.push(incoming.url ?? "");
    response.setHeader("content-type", "application/json; charset=utf-8");
    if (incoming.url === "/api/ps") {
      const { loaded } = settings;
      const model = { name: "tinytools:latest", model: "tinytools:latest", context_length: loaded };
      return void response.end(JSON.stringify({ models: loaded === undefined ? [] : [model] }));
    }
    const { model } = (await json(incoming)) as { model: string };
    if (incoming.url === "/v1/responses") {
      const usage = usageOf({ input: settings.promptTokens ?? 26 });
      return responds([messageItem("msg_1", "Hi")], { usage })(response, {} as never);
    }
    if (model !== "tinytools") return void response.writeHead(404).end('{"error":"model not found"}');
    if (incoming.url === "/api/show") {
      const { parameters } = settings;
      const info = { "general.architecture": "qwen3", "qwen3.context_length": 40_960 };
      return void response.end(JSON.stringify({ ...(parameters && { parameters }), model_info: info }));
    }
    const chunk = (more: object): string =>
      `data: ${JSON.stringify({ id: "chatcmpl-1", model, system_fingerprint: "fp_ollama", ...more })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(
      chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: "stop" }] }),
    );
    const usage = { prompt_tokens: settings.promptTokens ?? 26, completion_tokens: 1, total_tokens: 27 };
    response.end(`${chunk({ choices: [], usage })}data: [DONE]\n\n`);
  };
  const server = await httpServer((...both) => void reply(...both));
  return { ...server, baseUrl: `${server.url}/v1`, requests };
}

it("the context window of Ollama is read once, and again when the model was loaded with a larger one", async () => {
  const settings: Settings = { loaded: 4_096 };
  await using server = await ollama(settings);
  const open = openAiCompatible({ baseUrl: server.baseUrl, model: "tinytools" });
  const windows = async () => {
    const outcome = await open()(request());
    return "contextWindow" in outcome ? outcome.contextWindow : undefined;
  };
  expect([await windows(), await windows(), await windows()]).toEqual([4_096, 4_096, 4_096]);
  expect(server.requests.filter((path) => path === "/api/ps")).toHaveLength(1);
  Object.assign(settings, { loaded: 32_768, promptTokens: 20_000 });
  expect(await windows()).toBe(32_768);
});

it("the context window of Ollama is read for its Responses API, too, which does not name the server", async () => {
  await using server = await ollama({ loaded: 4_096 });
  vi.spyOn(dns, "lookup").mockImplementation(((
    _name: string,
    options: LookupOptions,
    found: Parameters<LookupFunction>[2],
  ) => found(null, options.all ? [{ address: "127.0.0.1", family: 4 }] : "127.0.0.1", 4)) as never);
  const baseUrl = server.baseUrl.replace("127.0.0.1", "ollama");
  const outcome = await openAiResponses({ baseUrl, model: "tinytools" })()(request());
  vi.restoreAllMocks();
  expect(outcome).toHaveProperty("contextWindow", 4_096);
});

it("other servers are not asked for their context window", async () => {
  const requests: string[] = [];
  await using server = await httpServer((incoming, response) => {
    requests.push(incoming.url ?? "");
    incoming.resume();
    const chunk = {
      system_fingerprint: "fp_44709d6fcb",
      choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }],
    };
    response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${JSON.stringify(chunk)}\n\n`);
  });
  const outcome = await openAiCompatible({ baseUrl: `${server.url}/v1`, model: "m" })()(request());
  expect(outcome).not.toHaveProperty("contextWindow");
  expect(requests).toEqual(["/v1/chat/completions"]);
});

it.each<[string, Settings, number | undefined, RegExp | undefined]>([
  [
    "loaded with a smaller window",
    { loaded: 4_096 },
    undefined,
    /'tinytools' is 4096 tokens; .* contextTokens is 128000/,
  ],
  ["loaded with the window that the agent plans with", { loaded: 4_096 }, 4_096, undefined],
  ["not loaded, num_ctx 8192", { parameters: "temperature   0.6\nnum_ctx    8192" }, undefined, /is 8192 tokens/],
  ["not loaded, a large num_ctx", { parameters: "num_ctx    262144" }, 32_768, undefined],
  ["not loaded, without num_ctx", {}, undefined, /is the default, often 4096 tokens/],
])("the warning at the start when the model is %s", async (_, settings, contextTokens, words) => {
  await using server = await ollama(settings);
  const model = { enabled: true, provider: "openai-compatible", baseUrl: server.baseUrl, model: "tinytools" } as const;
  const agent = contextTokens === undefined ? {} : { contextTokens };
  const warning = await modelWarning(agent, { model });
  if (words) expect(warning).toMatch(words);
  else expect(warning).toBeUndefined();
  const requests = server.requests.length;
  expect(await modelWarning(agent, { model: { ...model, secret: "env:KEY" } })).toBeUndefined();
  expect(server.requests).toHaveLength(requests);
});

it("the warning at the start when Ollama does not have the model, or does not respond", async () => {
  const model = { enabled: true, provider: "openai-compatible", model: "unknown" } as const;
  await using server = await ollama({});
  const unknown = await modelWarning({}, { model: { ...model, baseUrl: server.baseUrl } });
  expect(unknown).toBe("Ollama does not have the model 'unknown': run 'ollama pull unknown', or change --model-name.");
  await using other = await httpServer((_, response) => void response.writeHead(404).end('{"detail":"Not Found"}'));
  expect(await modelWarning({}, { model: { ...model, baseUrl: `${other.url}/v1` } })).toBeUndefined();
  const unreachable = await modelWarning({}, { model: { ...model, baseUrl: "http://127.0.0.1:1/v1" } });
  expect(unreachable).toMatch(/^the model server http:\/\/127\.0\.0\.1:1\/v1 does not respond\. Runs wait/);
});

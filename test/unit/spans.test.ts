import { text } from "node:stream/consumers";
import { afterEach, expect, test, vi } from "vitest";
import type { Model, ModelOutcome } from "../../src/agent/model.ts";
import { runTurn } from "../../src/agent/turn/run-turn.ts";
import { traceSettings } from "../../src/env.ts";
import { openTelemetry } from "../../src/observability/tracing.ts";
import { httpServer } from "../support/http-server.ts";
import { answer, call, spaceOf, turn } from "./agent/scripted.ts";

afterEach(() => vi.unstubAllEnvs());

const runId = "6affadb2-2415-40ba-b399-b138e319bd2e";

interface Value {
  stringValue?: string;
  intValue?: number;
  doubleValue?: number;
  arrayValue?: { values: Value[] };
}
interface Span {
  name: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: Value }[];
  events?: { name: string }[];
}
interface Metric {
  name: string;
  unit: string;
  histogram: { dataPoints: { sum: number; explicitBounds: number[]; attributes: { key: string; value: Value }[] }[] };
}

const valueOf = ({ stringValue, intValue, doubleValue, arrayValue }: Value): unknown =>
  stringValue ?? intValue ?? doubleValue ?? arrayValue?.values.map(valueOf);
const parsed = (json: unknown) => JSON.parse(String(json)) as unknown;
const valuesOf = ({ attributes }: { attributes: Span["attributes"] }) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));

/** Plays a turn of the model with traces to a collector, which answers `status` to metrics. */
async function traced(model: Model, environment: Record<string, string> = {}, status = 200) {
  const bodies: { path: string | undefined; body: string }[] = [];
  await using collector = await httpServer((request, response) => {
    void text(request).then((body) => {
      bodies.push({ path: request.url, body });
      response.writeHead(request.url === "/v1/metrics" ? status : 200).end("{}");
    });
  });
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url);
  vi.stubEnv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json");
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const settings = traceSettings();
  if (!settings) throw new Error("no endpoint is set");
  const telemetry = await openTelemetry(settings);
  const trace = telemetry.begin({
    runId,
    turn: 1,
    agent: { id: "a", name: "Analyst", version: 3 },
    labels: { customer: "c-17" },
    provider: "openai-compatible",
    model: "m",
    baseUrl: "http://models.example:8000/v1",
  });
  const { input, ports } = turn(model, {
    input: {
      contextTokens: 20_000,
      maxRetryWaitMs: 60_000,
      prices: { input: 2, output: 8 },
      parameters: { temperature: 0.5, maxOutputTokens: 900, reasoningEffort: "low" },
    },
    ports: { emit: trace.emit, observe: trace.observe },
    space: spaceOf({ "a.txt": "a line of the file" }),
  });
  const outcome = await runTurn(input, ports);
  trace.end();
  await telemetry.flush();
  await telemetry.flush();
  const sent = (path: string) => bodies.filter((each) => each.path === path).map(({ body }) => JSON.parse(body));
  const spans: Span[] = sent("/v1/traces").flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }: never) => (scopeSpans as { spans: Span[] }[]).flatMap((each) => each.spans)),
  );
  const metrics: Metric[] = (sent("/v1/metrics")[0]?.resourceMetrics ?? []).flatMap(({ scopeMetrics }: never) =>
    (scopeMetrics as { metrics: Metric[] }[]).flatMap((each) => each.metrics),
  );
  return { outcome, spans, metrics, bodies, paths: bodies.map(({ path }) => path) };
}

/** Fails once, reads a file, talks until the conversation is summarized, and ends. */
function scriptedModel(): Model {
  let calls = 0;
  const usage = { inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 600, reasoningTokens: 40 };
  const unavailable = { category: "model_unavailable", title: "Busy.", remedy: "", retryable: true } as const;
  return async ({ instructions }): Promise<ModelOutcome> => {
    const received = { id: `id-${++calls}`, model: "m-2026" };
    if (instructions.startsWith("You summarize")) return { ...answer("A summary.", [], { usage }), received };
    if (calls === 1) return { failure: unavailable, retryAfterMs: 1 };
    const steps = [call(`c${calls}`, "read_file", { name: "a.txt" })];
    const said =
      calls === 2
        ? answer("", steps, { usage })
        : answer("t".repeat(16_000), steps, { usage: { ...usage, inputTokens: calls * 5_000 } });
    return calls > 6 ? { ...answer("The end.", [], { usage }), received } : { ...said, received, firstTokenMs: 250 };
  };
}

test("spans have cost, labels, parameters, response ids, each attempt, and compactions of their own", async () => {
  const { outcome, spans, bodies } = await traced(scriptedModel());
  expect(outcome).toMatchObject({ kind: "done", text: "The end." });
  const root = spans.find(({ name }) => name === "invoke_agent Analyst");
  expect(root && valuesOf(root)).toMatchObject({
    "gen_ai.provider.name": "openai",
    "gen_ai.agent.version": "3",
    "gen_ai.conversation.id": runId,
    "agent_run.label.customer": "c-17",
    "server.address": "models.example",
    "server.port": 8000,
    "gen_ai.usage.cache_read.input_tokens": expect.any(Number),
  });
  const read = spans.map((span) => Number(valuesOf(span)["gen_ai.usage.cache_read.input_tokens"] ?? 0));
  const ofRoot = Math.max(...read);
  expect(read.reduce((sum, tokens) => sum + tokens)).toBe(2 * ofRoot); // the root has the sum of the others
  expect(root?.events?.map(({ name }) => name)).toEqual(["model-retry-scheduled"]);
  const chats = spans.filter(({ name }) => name === "chat m");
  expect(chats[0] && valuesOf(chats[0])).toMatchObject({ "error.type": "model_unavailable" });
  expect(chats[1] && valuesOf(chats[1])).toMatchObject({
    "gen_ai.request.temperature": 0.5,
    "gen_ai.request.max_tokens": 900,
    "gen_ai.request.reasoning.level": "low",
    "gen_ai.response.id": "id-2",
    "gen_ai.response.model": "m-2026",
    "gen_ai.response.finish_reasons": ["tool_calls"],
    "gen_ai.response.time_to_first_chunk": 0.25,
    "gen_ai.usage.input_tokens": 1_000,
    "gen_ai.usage.cache_read.input_tokens": 600,
    "gen_ai.usage.reasoning.output_tokens": 40,
    "gen_ai.usage.cost": 0.0028,
  });
  const costs = chats.map((span) => Number(valuesOf(span)["gen_ai.usage.cost"] ?? 0));
  expect(root && valuesOf(root)["gen_ai.usage.cost"]).toBeCloseTo(costs.reduce((sum, cost) => sum + cost));
  const compactions = spans.filter(({ name }) => name === "compact_conversation");
  const summaries = compactions.filter((span) => "agent_run.compaction.summarized_messages" in valuesOf(span));
  expect(summaries.length).toBeGreaterThan(0);
  const parents = chats.map(({ parentSpanId }) => parentSpanId);
  for (const { spanId, parentSpanId } of summaries) {
    expect(parentSpanId).toBe(root?.spanId);
    expect(parents.filter((parent) => parent === spanId)).toHaveLength(1);
  }
  const other = spans.filter((span) => span !== root && !summaries.some(({ spanId }) => spanId === span.parentSpanId));
  expect(new Set(other.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([root?.spanId]));
  expect(JSON.stringify(bodies)).not.toMatch(/a line of the file|The end|a\.txt|Be brief|tttt/);
});

test("metrics are the histograms of the GenAI conventions", async () => {
  const { metrics } = await traced(scriptedModel());
  expect(Object.fromEntries(metrics.map(({ name, unit }) => [name, unit]))).toEqual({
    "gen_ai.client.token.usage": "{token}",
    "gen_ai.client.operation.duration": "s",
    "gen_ai.client.operation.time_to_first_chunk": "s",
    "gen_ai.invoke_agent.duration": "s",
    "gen_ai.execute_tool.duration": "s",
  });
  const points = metrics.flatMap(({ name, histogram }) => histogram.dataPoints.map((point) => ({ name, ...point })));
  const output = points.find((point) => valuesOf(point)["gen_ai.token.type"] === "output");
  expect(output && valuesOf(output)).toEqual({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "m",
    "gen_ai.token.type": "output",
    "server.address": "models.example",
    "server.port": 8000,
  });
  expect(output?.sum).toBeGreaterThanOrEqual(600);
  expect(output?.explicitBounds.slice(0, 4)).toEqual([1, 4, 16, 64]);
  const failed = points.filter((point) => valuesOf(point)["error.type"] === "model_unavailable");
  expect(failed.map(({ name }) => name)).toEqual(["gen_ai.client.operation.duration"]);
});

test("a collector for traces alone is sent metrics once, and none on request", async () => {
  const refusing = await traced(async () => answer("Hi"), {}, 405);
  expect(refusing.paths.filter((path) => path === "/v1/metrics")).toHaveLength(1);
  const without = await traced(async () => answer("Hi"), { OTEL_METRICS_EXPORTER: "none" });
  expect(new Set(without.paths)).toEqual(new Set(["/v1/traces"]));
});

test.each(["true", "SPAN_ONLY"])("with the content variable %s, spans have texts by the conventions", async (value) => {
  const { spans } = await traced(scriptedModel(), { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value });
  const chats = spans.filter(({ name }) => name === "chat m").map(valuesOf);
  expect(parsed(chats[1]?.["gen_ai.system_instructions"])).toEqual([{ type: "text", content: "Be brief." }]);
  expect(parsed(chats[1]?.["gen_ai.output.messages"])).toEqual([
    {
      role: "assistant",
      parts: [{ type: "tool_call", id: "c2", name: "read_file", arguments: { name: "a.txt" } }],
      finish_reason: "tool_calls",
    },
  ]);
  expect(parsed(chats[2]?.["gen_ai.input.messages"])).toMatchObject([
    { role: "user", parts: [{ type: "text", content: "Go." }] },
    { role: "user" },
    { role: "assistant", parts: [{ type: "tool_call" }] },
    { role: "tool", parts: [{ type: "tool_call_response", id: "c2", response: expect.stringContaining("a line") }] },
  ]);
  expect(parsed(chats[1]?.["gen_ai.tool.definitions"])).toContainEqual(
    expect.objectContaining({ type: "function", name: "read_file", parameters: expect.anything() }),
  );
  const tool = spans.find(({ name }) => name === "execute_tool read_file");
  expect(tool && valuesOf(tool)).toMatchObject({
    "gen_ai.tool.call.arguments": '{"name":"a.txt"}',
    "gen_ai.tool.call.result": expect.stringContaining("a line of the file"),
  });
});

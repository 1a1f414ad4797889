import { randomUUID } from "node:crypto";
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, RandomIdGenerator, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Failure } from "../agent/model.ts";
import { addUsage, noUsage, type Usage } from "../agent/turn/limits.ts";
import type { CallDetails, TurnEvent } from "../agent/turn/types.ts";
import type { TraceSettings } from "../env.ts";
import { modelContent, toolContent } from "./message-content.ts";
import { callAttributes, finishReasonOf, providerOf, serverOf, usageAttributes } from "./span-attributes.ts";
import { openMetrics } from "./genai-metrics.ts";
import { openMetricExporter, openTraceExporter } from "./otlp-exporters.ts";

/** Attributes of a turn's spans. Never contains prompts, outputs or file contents. */
export interface TurnAttributes {
  runId: string;
  turn: number;
  agent: { id: string; name: string; version?: number };
  /** Of the run. */
  labels?: Record<string, string>;
  provider: string;
  model: string;
  /** URL of the model's server. Absent: the provider's own. */
  baseUrl?: string;
}

/** The spans of one invocation that advances a turn. */
export interface TurnTrace {
  emit: (event: TurnEvent) => void;
  /** Takes the input and output of the call whose end is emitted next. */
  observe: (details: CallDetails) => void;
  /** `failure`: the failure that ended the invocation. */
  end(failure?: Failure): void;
}

export interface Telemetry {
  begin(attributes: TurnAttributes): TurnTrace;
  /** Sends all ended spans and the metrics, for at most 5 s. Never rejects: a tracing error must not fail a run. */
  flush(): Promise<void>;
}

const flushMilliseconds = 5_000;

/**
 * Sends OpenTelemetry spans and metrics over OTLP/HTTP. A failed export is logged.
 * - Names follow the GenAI conventions as of 2026-11, which have no released version yet
 *   (https://github.com/open-telemetry/semantic-conventions-genai): `invoke_agent` with the children `chat`, one for each attempt,
 *   `execute_tool` and, with a `chat` of its own, `compact_conversation`. They do not have
 *   `gen_ai.usage.cost` (US dollars), which Langfuse and others read.
 * - The trace id is the run id, so that all attempts and turns of a run are one trace.
 * - Texts are attributes only with `settings.content`.
 * - Loading this module takes 35 ms. It is imported only when an endpoint is set.
 */
export async function openTelemetry(settings: TraceSettings): Promise<Telemetry> {
  const { exporter, report } = await openTraceExporter(settings);
  const resource = resourceFromAttributes({ "service.name": "agent-run-service", "service.instance.id": randomUUID() });
  const measured = settings.metrics && (await openMetricExporter(settings.metrics));
  const metrics = measured && openMetrics(measured, resource);
  const random = new RandomIdGenerator();
  let traceId = random.generateTraceId();
  const provider = new TracerProvider({
    resource,
    idGenerator: { generateTraceId: () => traceId, generateSpanId: () => random.generateSpanId() },
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer("agent-run-service");

  function begin({
    runId,
    turn,
    agent,
    labels = {},
    provider: providerName,
    model,
    baseUrl,
  }: TurnAttributes): TurnTrace {
    traceId = runId.replaceAll("-", "");
    const startedAt = Date.now();
    const first = { ...providerOf(providerName), ...serverOf(baseUrl) };
    const conversation = { "gen_ai.conversation.id": runId };
    const invoked = {
      ...first,
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agent.name,
      "gen_ai.request.model": model,
    };
    const root = tracer.startSpan(
      `invoke_agent ${agent.name}`,
      {
        root: true,
        kind: SpanKind.INTERNAL,
        attributes: {
          ...invoked,
          ...conversation,
          "gen_ai.agent.id": agent.id,
          ...(agent.version !== undefined && { "gen_ai.agent.version": String(agent.version) }),
          ...Object.fromEntries(Object.entries(labels).map(([name, value]) => [`agent_run.label.${name}`, value])),
          "agent_run.turn": turn,
        },
      },
      ROOT_CONTEXT,
    );
    const withinRoot = trace.setSpan(ROOT_CONTEXT, root);
    let compaction: { span: Span; step: number; within: Context } | undefined;
    let details: CallDetails | undefined;
    let used: Usage = noUsage;

    function chat(event: ModelCallEnd): void {
      const { fallback, milliseconds, step } = event;
      const asked = fallback?.modelName ?? model;
      const by = fallback?.provider === undefined ? first : providerOf(fallback.provider);
      const error = event.type === "model-call-failed" ? event.failure.category : undefined;
      const called = { ...by, "gen_ai.operation.name": "chat", "gen_ai.request.model": asked };
      const observed = details?.of === "model" ? details : undefined;
      const attributes = {
        ...called,
        ...conversation,
        "agent_run.step": step,
        ...(observed && callAttributes(observed)),
        ...(event.type === "model-call-completed" && {
          ...(event.estimated ? {} : usageAttributes(event)),
          "gen_ai.response.finish_reasons": [finishReasonOf(event.stopReason)],
        }),
        ...(settings.content && observed && modelContent(observed)),
      };
      span(`chat ${asked}`, SpanKind.CLIENT, milliseconds, attributes, error);
      metrics?.modelCall.record(milliseconds / 1_000, {
        ...called,
        ...(error !== undefined && { "error.type": error }),
      });
      if (event.type === "model-call-failed" || event.estimated) return;
      const { inputTokens, outputTokens } = event;
      used = addUsage(used, { ...noUsage, ...event });
      metrics?.tokens.record(inputTokens, { ...called, "gen_ai.token.type": "input" });
      metrics?.tokens.record(outputTokens, { ...called, "gen_ai.token.type": "output" });
      const firstToken = observed?.outcome && "answer" in observed.outcome ? observed.outcome.firstTokenMs : undefined;
      if (firstToken !== undefined) metrics?.firstToken.record(firstToken / 1_000, called);
    }

    function tool(event: Extract<TurnEvent, { type: "tool-call-completed" }>): void {
      const { name, callId, milliseconds, step } = event;
      const error = event.error ? "tool_error" : undefined;
      const called = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.type": "function",
      };
      const attributes = {
        ...called,
        "gen_ai.tool.call.id": callId,
        "agent_run.step": step,
        ...(settings.content && details?.of === "tool" && toolContent(details)),
      };
      span(`execute_tool ${name}`, SpanKind.INTERNAL, milliseconds, attributes, error);
      metrics?.tool.record(milliseconds / 1_000, { ...called, ...(error !== undefined && { "error.type": error }) });
    }

    function span(name: string, kind: SpanKind, milliseconds: number, attributes: Attributes, error?: string): void {
      const endTime = Date.now();
      const within = compaction?.within ?? withinRoot;
      const one = tracer.startSpan(name, { kind, attributes, startTime: endTime - milliseconds }, within);
      if (error !== undefined) {
        one.setAttribute("error.type", error);
        one.setStatus({ code: SpanStatusCode.ERROR });
      }
      one.end(endTime);
    }

    /** Begins the span of a compaction. That of a summary ends with its step. */
    function compact({ step, truncatedMessages, summarizedMessages }: Compacted): void {
      endCompaction();
      const attributes = {
        "agent_run.step": step,
        ...(truncatedMessages !== undefined && { "agent_run.compaction.truncated_messages": truncatedMessages }),
        ...(summarizedMessages !== undefined && { "agent_run.compaction.summarized_messages": summarizedMessages }),
      };
      const started = tracer.startSpan("compact_conversation", { kind: SpanKind.INTERNAL, attributes }, withinRoot);
      if (summarizedMessages === undefined) started.end();
      else compaction = { span: started, step, within: trace.setSpan(ROOT_CONTEXT, started) };
    }

    function endCompaction(): void {
      compaction?.span.end();
      compaction = undefined;
    }

    function show(event: TurnEvent): void {
      switch (event.type) {
        case "model-call-completed":
        case "model-call-failed":
          return chat(event);
        case "tool-call-completed":
          return tool(event);
        case "conversation-compacted":
          return compact(event);
        case "limit-reached":
          root.setAttribute("agent_run.limit", `${event.of}.${event.reason}`);
          break;
        case "model-retry-scheduled":
          root.addEvent(event.type, {
            "agent_run.step": event.step,
            "agent_run.wait_milliseconds": event.milliseconds,
          });
          break;
        case "fallback-asked":
          root.addEvent(event.type, { "agent_run.step": event.step, "error.type": event.failure.category });
          break;
        case "model-call-started":
        case "tool-call-started": // their spans are written when they end
      }
    }

    return {
      observe: (next) => (details = next),
      emit(event) {
        if (compaction && event.step !== compaction.step) endCompaction();
        show(event);
        details = undefined;
      },
      end(failure) {
        endCompaction();
        if (used.inputTokens > 0) root.setAttributes(usageAttributes(used));
        if (failure) {
          root.setAttribute("error.type", failure.category);
          root.setStatus({ code: SpanStatusCode.ERROR, message: failure.title });
        }
        root.end();
        const error = failure && { "error.type": failure.category };
        metrics?.agent.record((Date.now() - startedAt) / 1_000, { ...invoked, ...error });
      },
    };
  }

  async function flush(): Promise<void> {
    await Promise.all([
      provider.forceFlush({ timeoutMillis: flushMilliseconds }).catch(report),
      metrics?.flush(flushMilliseconds).catch(() => {}), // the exporter has reported it
    ]);
  }

  return { begin, flush };
}

/** An event that ends a model call. */
type ModelCallEnd = Extract<TurnEvent, { type: "model-call-completed" | "model-call-failed" }>;
type Compacted = Extract<TurnEvent, { type: "conversation-compacted" }>;

import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, RandomIdGenerator, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Failure, StopReason, TokenUsage } from "../agent/model.ts";
import type { TraceSettings } from "../env.ts";
import type { TurnEvent } from "../agent/turn/types.ts";
import { openTraceExporter } from "./trace-exporter.ts";

/** Attributes of a turn's spans. Never contains prompts, outputs or file contents. */
export interface TurnAttributes {
  runId: string;
  turn: number;
  agent: { id: string; name: string };
  provider: string;
  model: string;
}

/** The spans of one invocation that advances a turn. */
export interface TurnTrace {
  emit(event: TurnEvent): void;
  /** `failure`: the failure that ended the invocation. */
  end(failure?: Failure): void;
}

export interface Telemetry {
  begin(attributes: TurnAttributes): TurnTrace;
  /** Sends all ended spans, for at most 5 s. Never rejects: a tracing error must not fail a run. */
  flush(): Promise<void>;
}

const flushSeconds = 5;

/**
 * Sends OpenTelemetry spans over OTLP/HTTP. A failed export is logged.
 * - Spans follow the GenAI conventions (https://opentelemetry.io/docs/specs/semconv/gen-ai/): `invoke_agent` with the
 *   children `chat` and `execute_tool`.
 * - The trace id is the run id, so that all attempts and turns of a run are one trace.
 * - Loading this module takes 35 ms. It is imported only when an endpoint is set.
 */
export async function openTelemetry(settings: TraceSettings): Promise<Telemetry> {
  const { exporter, report } = await openTraceExporter(settings);
  const random = new RandomIdGenerator();
  let traceId = random.generateTraceId();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "agent-run-service" }),
    idGenerator: { generateTraceId: () => traceId, generateSpanId: () => random.generateSpanId() },
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer("agent-run-service");

  function begin({ runId, turn, agent, provider: providerName, model }: TurnAttributes): TurnTrace {
    traceId = runId.replaceAll("-", "");
    const named = providerOf(providerName);
    const root = tracer.startSpan(
      `invoke_agent ${agent.name}`,
      {
        root: true,
        kind: SpanKind.INTERNAL,
        attributes: {
          ...named,
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.id": agent.id,
          "gen_ai.agent.name": agent.name,
          "gen_ai.conversation.id": runId,
          "gen_ai.request.model": model,
          "agent_run.turn": turn,
        },
      },
      ROOT_CONTEXT,
    );
    const within = trace.setSpan(ROOT_CONTEXT, root);

    function chat(event: ModelCallEnd, attributes: Attributes, error?: string): void {
      const { step, milliseconds, fallback } = event;
      const asked = fallback?.modelName ?? model;
      const by = fallback?.provider === undefined ? named : providerOf(fallback.provider);
      const operation = { "gen_ai.operation.name": "chat", "gen_ai.request.model": asked, "agent_run.step": step };
      span(`chat ${asked}`, SpanKind.CLIENT, milliseconds, { ...by, ...operation, ...attributes }, error);
    }

    function span(name: string, kind: SpanKind, milliseconds: number, attributes: Attributes, error?: string): void {
      const endTime = Date.now();
      const one = tracer.startSpan(name, { kind, attributes, startTime: endTime - milliseconds }, within);
      if (error !== undefined) {
        one.setAttribute("error.type", error);
        one.setStatus({ code: SpanStatusCode.ERROR });
      }
      one.end(endTime);
    }

    return {
      emit(event) {
        switch (event.type) {
          case "model-call-completed":
            return chat(event, {
              ...(event.estimated ? {} : reportedTokens(event)),
              "gen_ai.response.finish_reasons": [conventionalReasons[event.stopReason]],
              ...(event.responseModel !== undefined && { "gen_ai.response.model": event.responseModel }),
            });
          case "model-call-failed":
            return chat(event, {}, event.failure.category);
          case "tool-call-completed":
            return span(
              `execute_tool ${event.name}`,
              SpanKind.INTERNAL,
              event.milliseconds,
              {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": event.name,
                "gen_ai.tool.call.id": event.callId,
                "agent_run.step": event.step,
              },
              event.error ? "tool_error" : undefined,
            );
          case "limit-reached":
            root.setAttribute("agent_run.limit", `${event.of}.${event.reason}`);
            break;
          case "fallback-asked":
          case "model-retry-scheduled":
          case "conversation-compacted":
            root.addEvent(event.type);
            break;
          case "model-call-started":
          case "tool-call-started": // their spans are written when they end
        }
      },
      end(failure) {
        if (failure) {
          root.setAttribute("error.type", failure.category);
          root.setStatus({ code: SpanStatusCode.ERROR, message: failure.title });
        }
        root.end();
      },
    };
  }

  return { begin, flush: () => provider.forceFlush({ timeoutMillis: flushSeconds * 1_000 }).catch(report) };
}

/** An event that ends a model call. */
type ModelCallEnd = Extract<TurnEvent, { type: "model-call-completed" | "model-call-failed" }>;

function providerOf(name: string): Attributes {
  return { "gen_ai.provider.name": providerNames[name] ?? name };
}

/** Stop reasons by the names of the GenAI conventions. They have no word for `other`. */
const conventionalReasons: Record<StopReason, string> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  "content-filter": "content_filter",
  other: "other",
};

/** Provider names of the GenAI conventions that differ from ours. */
const providerNames: Record<string, string> = { bedrock: "aws.bedrock" };

/** The tokens as the provider reported them. An estimate is no attribute of a span. */
function reportedTokens(usage: TokenUsage): Attributes {
  return {
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cachedInputTokens ?? 0,
    "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteInputTokens ?? 0,
  };
}

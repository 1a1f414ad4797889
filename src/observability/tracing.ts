import { randomUUID } from "node:crypto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, RandomIdGenerator, TracerProvider } from "@opentelemetry/sdk-trace";
import type { TraceSettings } from "../env.ts";
import { openMetrics } from "./genai-metrics.ts";
import { openMetricExporter, openTraceExporter } from "./otlp-exporters.ts";
import { type TurnAttributes, TurnSpans, type TurnTrace } from "./turn-spans.ts";

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

  function begin(attributes: TurnAttributes): TurnTrace {
    traceId = attributes.runId.replaceAll("-", "");
    return new TurnSpans({ tracer, metrics, content: settings.content }, attributes);
  }

  async function flush(): Promise<void> {
    await Promise.all([
      provider.forceFlush({ timeoutMillis: flushMilliseconds }).catch(report),
      metrics?.flush(flushMilliseconds).catch(() => {}), // the exporter has reported it
    ]);
  }

  return { begin, flush };
}

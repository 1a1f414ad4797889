import type { Histogram } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from "@opentelemetry/sdk-metrics";

/** Histograms of the GenAI conventions, by what they measure. Durations in seconds. */
export interface GenAiMetrics {
  tokens: Histogram;
  modelCall: Histogram;
  firstToken: Histogram;
  agent: Histogram;
  tool: Histogram;
  /** Sends what was measured since the last time. */
  flush(timeoutMilliseconds: number): Promise<void>;
}

// The boundaries are those that the conventions name for client metrics.
const tokenBoundaries = Array.from({ length: 14 }, (_, index) => 4 ** index);
const secondBoundaries = Array.from({ length: 14 }, (_, index) => 0.01 * 2 ** index);
/** Turns take longer than model calls. */
const turnBoundaries = [...secondBoundaries, 163.84, 327.68, 655.36, 1_310.72, 2_621.44];

/** Measures model calls, tool calls and turns, and sends the histograms every minute. */
export function openMetrics(exporter: PushMetricExporter, resource: Resource): GenAiMetrics {
  const provider = new MeterProvider({ resource, readers: [new PeriodicExportingMetricReader({ exporter })] });
  const meter = provider.getMeter("agent-run-service");
  const seconds = (name: string, description: string, explicitBucketBoundaries = secondBoundaries): Histogram =>
    meter.createHistogram(name, { unit: "s", description, advice: { explicitBucketBoundaries } });
  return {
    tokens: meter.createHistogram("gen_ai.client.token.usage", {
      unit: "{token}",
      description: "Number of input and output tokens used.",
      advice: { explicitBucketBoundaries: tokenBoundaries },
    }),
    modelCall: seconds("gen_ai.client.operation.duration", "Duration of model calls."),
    firstToken: seconds("gen_ai.client.operation.time_to_first_chunk", "Time to the first part of an answer."),
    agent: seconds("gen_ai.invoke_agent.duration", "Duration of turns, each invocation by itself.", turnBoundaries),
    tool: seconds("gen_ai.execute_tool.duration", "Duration of tool calls."),
    flush: (timeoutMillis) => provider.forceFlush({ timeoutMillis }),
  };
}

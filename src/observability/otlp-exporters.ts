import { diag } from "@opentelemetry/api";
import type { OTLPExporterBase } from "@opentelemetry/otlp-exporter-base";
import type { PushMetricExporter, ResourceMetrics } from "@opentelemetry/sdk-metrics";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { CollectorSettings } from "../env.ts";
import { log } from "../log.ts";
import { redactSecrets } from "../net/redact.ts";

const loadProtobuf = () => import("@opentelemetry/exporter-trace-otlp-proto");

/** Exporters of traces by the value of `OTEL_EXPORTER_OTLP_PROTOCOL`. Only the one in use is loaded. */
const exporters: Record<string, () => Promise<{ OTLPTraceExporter: new () => SpanExporter }>> = {
  "http/protobuf": loadProtobuf,
  "http/json": () => import("@opentelemetry/exporter-trace-otlp-http"),
};
/** The default of OpenTelemetry. */
const defaultProtocol = "http/protobuf";

const reportMilliseconds = 60_000;
/** Characters of a collector's response that are logged. */
const maxCharacters = 300;

export interface TraceExporter {
  exporter: SpanExporter;
  /** Logs a failed export, at most once a minute. */
  report: (error: unknown) => void;
}

/**
 * Opens the OTLP exporter for traces and logs its failures, which OpenTelemetry drops. The exporter itself reads the
 * endpoint, headers, timeout, compression and certificates from the environment. An unsupported protocol is logged, and
 * the default is used.
 */
export async function openTraceExporter(settings: CollectorSettings): Promise<TraceExporter> {
  const { protocol = defaultProtocol } = settings;
  const load = exporters[protocol];
  if (!load) {
    const accepted = Object.keys(exporters).join(", ");
    log("error", "the OTLP protocol is not supported; the default is used", { protocol, accepted, defaultProtocol });
  }
  logWarnings();
  const { OTLPTraceExporter } = await (load ?? loadProtobuf)();
  const exporter = new OTLPTraceExporter();
  const report = reporter("traces", settings);
  return {
    report,
    exporter: {
      export(spans, done) {
        exporter.export(spans, (result) => {
          if (result.error) report(result.error);
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
    },
  };
}

/**
 * Opens the OTLP exporter for metrics. Failures are logged. A collector that accepts only traces answers 404 or 405, and gets no
 * more metrics.
 */
export async function openMetricExporter(settings: CollectorSettings): Promise<PushMetricExporter> {
  const exporter = await metricExporter(settings.protocol === "http/json");
  const report = reporter("metrics", settings);
  let refused = false;
  return {
    export(metrics, done) {
      if (refused) return done({ code: 0 });
      exporter.export(metrics, (result) => {
        const status = (result.error as { code?: unknown } | undefined)?.code;
        refused = status === 404 || status === 405;
        if (refused) log("info", "the collector takes no metrics, so no more are sent", { status });
        else if (result.error) report(result.error);
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

/** Made of the packages of the trace exporters. The packages of the metric exporters only combine them. */
async function metricExporter(isJson: boolean): Promise<OTLPExporterBase<ResourceMetrics>> {
  const [{ OTLPExporterBase: Exporter }, { convertLegacyHttpOptions, createOtlpHttpExportDelegate }, transformer] =
    await Promise.all([
      import("@opentelemetry/otlp-exporter-base"),
      import("@opentelemetry/otlp-exporter-base/node-http"),
      import("@opentelemetry/otlp-transformer"),
    ]);
  const type = isJson ? "application/json" : "application/x-protobuf";
  const options = convertLegacyHttpOptions({}, "METRICS", "v1/metrics", { "Content-Type": type });
  const serializer = isJson ? transformer.JsonMetricsSerializer : transformer.ProtobufMetricsSerializer;
  const helper = transformer.MetricsExporterMetricsHelper;
  return new Exporter(
    createOtlpHttpExportDelegate(options, serializer, "otlp_http_metric_exporter", helper, undefined),
  );
}

/** Logs that a signal could not be sent, at most once a minute, without the secrets of the headers. */
function reporter(signal: string, { protocol = defaultProtocol, endpoint, headers }: CollectorSettings) {
  const secrets = headerValues(headers);
  return oncePerMinute((error: unknown) => {
    const reason = redactSecrets(describe(error), secrets, "[secret]").slice(0, maxCharacters);
    log("error", `${signal} could not be sent`, { endpoint: withoutCredentials(endpoint), protocol, reason });
  });
}

/** The error of the exporter. `code` is the HTTP status and `data` the body of the collector's response. */
function describe(error: unknown): string {
  const { message, code, data } = error as { message?: string; code?: unknown; data?: unknown };
  const status = typeof code === "number" ? `status ${code} ` : "";
  const body = typeof data === "string" && data.trim() !== "" ? `: ${data}` : "";
  return `${status}${message || String(code ?? error)}${body}`.replaceAll(/\s+/g, " ").trim();
}

function oncePerMinute(report: (error: unknown) => void): (error: unknown) => void {
  let last = -Infinity;
  return (error) => {
    if (Date.now() - last < reportMilliseconds) return;
    last = Date.now();
    report(error);
  };
}

function ignore(): void {}

/** Logs OpenTelemetry's warnings about the variables, and about spans that the collector dropped. */
function logWarnings(): void {
  const warn = oncePerMinute((reason) => log("error", "OpenTelemetry reports a problem", { reason }));
  diag.setLogger({
    verbose: ignore,
    debug: ignore,
    info: ignore,
    error: ignore, // failed exports, which `report` logs
    warn(...parts) {
      const text = parts.join(" ");
      if (/^(Configuration|Received Partial)/.test(text)) warn(text.slice(0, maxCharacters));
    },
  });
}

/** Shorter header values are not secrets. */
const minSecretCharacters = 8;

/** The values of headers such as `api-key=abcdefgh,x=1`, as written and decoded. */
function headerValues(headers: string): string[] {
  const values = headers.split(",").map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
  return [...values, ...values.map(decoded)].filter((value) => value.length >= minSecretCharacters);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function withoutCredentials(endpoint: string): string {
  const url = URL.parse(endpoint);
  return url ? url.origin + url.pathname : endpoint;
}

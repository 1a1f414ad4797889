import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { traceSettings } from "../../src/env.ts";
import { logging } from "../../src/log.ts";
import { openTelemetry, type Telemetry } from "../../src/observability/tracing.ts";
import { httpServer } from "../support/http-server.ts";

let lines: string[];

beforeEach(() => {
  lines = [];
  logging.level = "error";
  vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.stubEnv("OTEL_METRICS_EXPORTER", "none");
});

afterEach(() => {
  logging.level = "off";
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const turn = {
  runId: "6affadb2-2415-40ba-b399-b138e319bd2e",
  turn: 1,
  agent: { id: "a", name: "Analyst" },
  provider: "demo",
  model: "demo",
};

/** The traces that the environment configures. */
function open(): Promise<Telemetry> {
  const settings = traceSettings();
  if (!settings) throw new Error("no endpoint is set");
  return openTelemetry(settings);
}

/** Sends the span of one turn. */
async function sendTurn(telemetry: Telemetry): Promise<void> {
  telemetry.begin(turn).end();
  await telemetry.flush();
}

const reports = () => lines.filter((line) => line.includes("traces could not be sent"));

test("logs a collector that rejects traces once a minute, with status and body", async () => {
  await using collector = await httpServer((request, response) => {
    const body = `Unsupported content type; key key-12345 ${"x".repeat(1_000)}`;
    void text(request).then(() => response.writeHead(415).end(body));
  });
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `${collector.url}/?token=secret`);
  vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=key-12345");
  const telemetry = await open();
  await sendTurn(telemetry);
  await sendTurn(telemetry);
  expect(reports()).toHaveLength(1);
  const [report = ""] = reports();
  expect(report).toContain("status 415 Unsupported Media Type: Unsupported content type; key [secret]");
  expect(report).toContain(`"endpoint":"${collector.url}/"`);
  expect(report).not.toMatch(/key-12345|token/);
  expect(report.length).toBeLessThan(600);
  vi.setSystemTime(Date.now() + 61_000);
  await sendTurn(telemetry);
  expect(reports()).toHaveLength(2);
});

test("logs a collector that cannot be reached", async () => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1");
  vi.stubEnv("OTEL_EXPORTER_OTLP_TIMEOUT", "500"); // ms for all attempts
  const telemetry = await open();
  await sendTurn(telemetry);
  await sendTurn(telemetry);
  expect(reports()).toHaveLength(1);
  expect(reports()[0]).toContain("ECONNREFUSED");
});

test("uses protobuf and logs the choice when the protocol is not supported", async () => {
  const types: (string | undefined)[] = [];
  await using collector = await httpServer((request, response) => {
    types.push(request.headers["content-type"]);
    void text(request).then(() => response.writeHead(200).end());
  });
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url);
  vi.stubEnv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
  await sendTurn(await open());
  expect(types).toEqual(["application/x-protobuf"]);
  expect(lines.join("")).toContain('"protocol":"grpc"');
});

test("the protocol, the headers and the endpoint of traces precede the general ones", async () => {
  const requests: [string | undefined, string | undefined, unknown, unknown][] = [];
  await using collector = await httpServer((request, response) => {
    const { "content-type": type, a, b } = request.headers;
    requests.push([request.url, type, a, b]);
    void text(request).then(() => response.writeHead(200).end("{}"));
  });
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1");
  vi.stubEnv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", `${collector.url}/own/path`);
  vi.stubEnv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
  vi.stubEnv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json");
  vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "a=1,b=2");
  vi.stubEnv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "b=3%204");
  await sendTurn(await open());
  expect(requests).toEqual([["/own/path", "application/json", "1", "3 4"]]);
  expect(reports()).toEqual([]);
});

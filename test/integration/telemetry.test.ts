import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { httpServer } from "../support/http-server.ts";
import { createRun, finished, modelAt, newDataDir, startService } from "./service.ts";

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

/** An OTLP/HTTP collector for traces. */
async function collector() {
  const requests: { type: string | undefined; body: Buffer }[] = [];
  const server = await httpServer((request, response) => {
    void buffer(request).then((body) => {
      if (request.url === "/v1/traces") requests.push({ type: request.headers["content-type"], body });
      response.writeHead(200, { "content-type": request.headers["content-type"] }).end();
    });
  });
  return { endpoint: server.url, requests, close: server.close };
}

/** A chat completions server whose model is an alias. */
function scriptedServer() {
  return httpServer((request, response) => {
    request.resume();
    const chunk = { model: "m-2026-11-01", choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] };
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  });
}

function spansOfJson(body: Buffer): Span[] {
  const { resourceSpans } = JSON.parse(body.toString()) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

/** Length-delimited fields of a protobuf message with this number. */
function fieldsOf(message: Buffer, number: number): Buffer[] {
  const found: Buffer[] = [];
  let at = 0;
  const varint = (): number => {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = message.readUInt8(at++);
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const type = tag & 7;
    if (type === 0) varint();
    else if (type === 1) at += 8;
    else if (type === 5) at += 4;
    else if (type === 2) {
      const length = varint();
      if (tag >> 3 === number) found.push(message.subarray(at, at + length));
      at += length;
    } else throw new Error(`unknown wire type ${type}`);
  }
  return found;
}

/** Field numbers of opentelemetry/proto/collector/trace/v1/trace_service.proto and the messages that it contains. */
function spansOfProtobuf(body: Buffer): { traceId: string; name: string; attributes: Record<string, string> }[] {
  const texts = (message: Buffer, number: number): string => fieldsOf(message, number).map(String).join();
  const spans = fieldsOf(body, 1).flatMap((resource) => fieldsOf(resource, 2).flatMap((scope) => fieldsOf(scope, 2)));
  return spans.map((span) => ({
    traceId: Buffer.concat(fieldsOf(span, 1)).toString("hex"),
    name: texts(span, 5),
    attributes: Object.fromEntries(
      fieldsOf(span, 9).map((pair) => [
        texts(pair, 1),
        fieldsOf(pair, 2)
          .map((value) => texts(value, 1))
          .join(),
      ]),
    ),
  }));
}

const valuesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

test("with an OTLP endpoint, a run is one trace of GenAI spans with the run id, without content", async () => {
  const traces = await collector();
  await using service = await startService(newDataDir(), [], {
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  });
  const content_base64 = Buffer.from("a very secret line").toString("base64");
  const runId = await createRun(service, {
    input_text: "What is in it?",
    files: [{ filename: "a.txt", content_base64 }],
  });
  expect((await finished(service, runId)).loop_status).toBe("finished");
  expect(await service.end("SIGTERM")).toBe(0); // the remaining spans are sent before the process exits
  await traces.close();

  const spans = traces.requests.flatMap(({ body }) => spansOfJson(body));
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([runId.replaceAll("-", "")]));
  const root = spans.find(({ name }) => name.startsWith("invoke_agent "));
  expect(root && valuesOf(root)).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.conversation.id": runId,
    "gen_ai.provider.name": "demo",
  });
  const children = spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId);
  expect(children).toHaveLength(spans.length - 1);
  expect(new Set(children.map(({ name }) => name))).toEqual(
    new Set(["chat demo", "execute_tool list_files", "execute_tool read_file"]),
  );
  const reasons = children.flatMap((span) => valuesOf(span)["gen_ai.response.finish_reasons"] ?? []);
  expect(JSON.stringify(reasons)).toMatch(/"tool_calls".*"stop"/);
  expect(traces.requests.map(({ body }) => body.toString()).join("")).not.toMatch(/secret line|What is in it/);
});

test("traces are sent as protobuf by default, with the model that answered", async () => {
  await using server = await scriptedServer();
  const traces = await collector();
  await using service = await startService(newDataDir(), modelAt(server.url), {
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.endpoint,
  });
  const runId = await createRun(service, { input_text: "Hello" });
  expect((await finished(service, runId)).loop_status).toBe("finished");
  expect(await service.end("SIGTERM")).toBe(0);
  await traces.close();

  expect(new Set(traces.requests.map(({ type }) => type))).toEqual(new Set(["application/x-protobuf"]));
  const spans = traces.requests.flatMap(({ body }) => spansOfProtobuf(body));
  expect(spans.map(({ name }) => name)).toEqual(["chat m", expect.stringMatching(/^invoke_agent /)]);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([runId.replaceAll("-", "")]));
  expect(spans[0]?.attributes).toMatchObject({
    "gen_ai.request.model": "m",
    "gen_ai.response.model": "m-2026-11-01",
  });
});

test("an unreachable OTLP endpoint does not fail a run", async () => {
  await using service = await startService(newDataDir(), [], {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
    OTEL_EXPORTER_OTLP_TIMEOUT: "500", // ms for all attempts of the last export; 10 s by default
  });
  const runId = await createRun(service, { input_text: "Hello" });
  expect((await finished(service, runId)).loop_status).toBe("finished");
  expect(await service.end("SIGTERM")).toBe(0);
});

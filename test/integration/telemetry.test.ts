import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { httpServer } from "../support/http-server.ts";
import { createRun, finished, newDataDir, startService } from "./service.ts";

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

/** An OTLP/HTTP collector for traces in JSON. */
async function collector() {
  const bodies: string[] = [];
  const server = await httpServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  return {
    endpoint: server.url,
    bodies,
    spans: () =>
      bodies.flatMap((body) => {
        const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
        return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
      }),
    close: server.close,
  };
}

const valuesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

test("with an OTLP endpoint, a run is one trace of GenAI spans with the run id, without content", async () => {
  const traces = await collector();
  await using service = await startService(newDataDir(), [], { OTEL_EXPORTER_OTLP_ENDPOINT: traces.endpoint });
  const content_base64 = Buffer.from("a very secret line").toString("base64");
  const runId = await createRun(service, {
    input_text: "What is in it?",
    files: [{ filename: "a.txt", content_base64 }],
  });
  expect((await finished(service, runId)).loop_status).toBe("finished");
  expect(await service.end("SIGTERM")).toBe(0); // the remaining spans are sent before the process exits
  await traces.close();

  const spans = traces.spans();
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
  expect(traces.bodies.join("")).not.toMatch(/secret line|What is in it/);
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

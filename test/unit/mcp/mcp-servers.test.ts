import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Reply, rejects, returns, server, textResult, tool, use } from "./legacy-server.ts";

const streams: Reply = (response, { id }) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } };
  const ping = { jsonrpc: "2.0", id: "ping-1", method: "ping" };
  const result = { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "Done.", _meta: null }] } };
  response.write("id: 1\nretry: 100\ndata: \n\n: here\n\n");
  for (const message of [progress, ping, result])
    response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  response.end();
};

describe("a server without streamable HTTP", () => {
  const page = "<!DOCTYPE html>\n<html><body><pre>Cannot POST /sse</pre></body></html>";
  const needed = "set its URL to a streamable HTTP endpoint, often at /mcp";

  it.each([
    ["the Python SDK", 405, "Method Not Allowed"],
    ["Express", 404, page],
    ["a server that checks its session", 400, "Missing sessionId parameter"],
  ])("is recognized by its event stream: %s", async (_, status, body) => {
    const { problems, opened } = await use((request, response) => {
      request.resume();
      if (request.method !== "GET") return void response.writeHead(status).end(body);
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      response.write("event: endpoint\r\ndata: /messages/?session_id=1\r\n\r\n");
    }, 0);
    const reason = `the server uses the HTTP+SSE transport, which is not supported; ${needed}`;
    expect(problems).toEqual([`it could not be listed: ${reason}`]);
    expect(opened.tools[0]?.definition.description).toContain(reason);
  });

  it("is a wrong URL when it answers 404 to everything", async () => {
    const { problems } = await use((request, response) => {
      request.resume();
      response.writeHead(404, { "content-type": "text/html" }).end(page);
    }, 0);
    expect(problems).toEqual([
      `it could not be listed: the URL is not an endpoint for streamable HTTP (HTTP 404); ${needed}`,
    ]);
  });

  it("does not pass an HTML page on", async () => {
    const { problems } = await use((request, response) => {
      request.resume();
      response.writeHead(503, { "content-type": "text/html" }).end(page);
    }, 0);
    expect(problems).toEqual([expect.stringMatching(/an HTML page \(status 503\)$/)]);
    expect(problems.join()).not.toContain("<");
  });
});

describe("an MCP server that deviates from the protocol", () => {
  it.each<[string, Reply]>([
    ["an error status", rejects(400)],
    ["an error status and plain text", rejects(422, "Unexpected message, expect initialize request")],
    ["a server error", rejects(500, "Internal Server Error")],
    [
      "an error without a request id",
      rejects(200, { jsonrpc: "2.0", id: null, error: { code: -32600, message: "Invalid" } }),
    ],
    [
      "silence, for 4 seconds",
      (response) => void response.writeHead(202).end(() => setImmediate(() => vi.advanceTimersByTime(4_000))),
    ],
  ])("may answer an unknown method before a session with %s", async (_, unknownMethod) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }); // any other wait is for ever
    onTestFinished(() => void vi.useRealTimers());
    const { names, problems, outputs } = await use(server({ unknownMethod }).listener);
    expect({ names, problems, outputs }).toEqual({ names: ["s__look"], problems: [], outputs: [{ text: "Seen." }] });
  });

  it("is not connected twice when it requires credentials", async () => {
    const { listener, received } = server({ unknownMethod: rejects(401, { error: "invalid_token" }) });
    const { problems } = await use(listener);
    expect(problems).toEqual([expect.stringContaining("requires authorization (HTTP 401)")]);
    expect(received).not.toContain("initialize");
  });

  it.each([404, 400])(
    "gets a new session and the call again when it has lost the session, with status %i",
    async (status) => {
      let forgets = true;
      const known = server({
        call(response, request) {
          const gone = forgets;
          forgets = false;
          if (gone) rejects(status, "Bad Request: no valid session ID")(response, request);
          else returns(textResult("Seen."))(response, request);
        },
      });
      expect((await use(known.listener, 2)).outputs).toEqual([{ text: "Seen." }, { text: "Seen." }]);
      expect(known.sessions).toHaveLength(2);
      expect(known.received.filter((method) => method === "tools/call")).toHaveLength(3);
    },
  );

  it("does not get a rejected call again", async () => {
    const { listener, received } = server({ call: rejects(400, { error: "x must be set" }) });
    expect((await use(listener)).outputs).toEqual([{ text: expect.stringContaining("x must be set"), error: true }]);
    expect(received.filter((method) => method === "tools/call")).toHaveLength(1);
  });

  it.each<[string, object]>([
    [
      "null for absent fields",
      tool("other", { title: null, description: null, annotations: null, outputSchema: null, _meta: null }),
    ],
    ["null for hints", tool("other", { annotations: { readOnlyHint: null, title: null } })],
    ["no schema", { name: "other" }],
    ["null for its schema", tool("other", { inputSchema: null })],
    ["null in its schema", tool("other", { inputSchema: { type: "object", required: null, properties: null } })],
    ["a schema without a type", tool("other", { inputSchema: { properties: {} } })],
  ])("may list a tool with %s", async (_, other) => {
    const list = returns({ tools: [other, tool("look")], nextCursor: null });
    const { names, outputs, opened } = await use(server({ list }).listener);
    expect(names).toEqual(["s__other", "s__look"]);
    expect(outputs).toEqual([{ text: "Seen." }]);
    expect(opened.tools[0]?.definition).toMatchObject({ description: "", input: { type: "object" } });
  });

  it("offers its other tools when a tool is invalid", async () => {
    const list = returns({ tools: [tool("bad", { description: 5 }), { inputSchema: {} }, null, tool("look")] });
    const { names, problems } = await use(server({ list }).listener);
    expect({ names, problems }).toEqual({ names: ["s__look"], problems: [] });
  });

  it("may omit the capability tools", async () => {
    for (const capabilities of [{}, { tools: null, prompts: null }]) {
      expect((await use(server({ capabilities }).listener)).names).toEqual(["s__look"]);
    }
  });

  it.each<[string, object, string]>([
    [
      "null for absent fields",
      { content: [{ type: "text", text: "Done.", annotations: null }], isError: null, structuredContent: null },
      "Done.",
    ],
    [
      "content of an unknown type",
      {
        content: [
          { type: "text", text: "Done." },
          { type: "widget", x: 1 },
        ],
      },
      'Done.\n{"type":"widget","x":1}',
    ],
    [
      "incomplete content",
      {
        content: [
          { type: "image", data: "AAAA" },
          { type: "resource", resource: null },
        ],
      },
      '{"type":"image","data":"AAAA"}\n{"type":"resource","resource":null}',
    ],
    ["a string as content", { content: "Done." }, "Done."],
    ["no structured content", textResult("Done."), "Done."],
  ])("may return a result with %s", async (_, result, expected) => {
    const outputSchema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    const list = returns({ tools: [tool("look", { outputSchema })] });
    const { listener, received } = server({ list, call: returns(result) });
    expect((await use(listener)).outputs).toEqual([{ text: expected }]);
    expect(received.filter((method) => method === "tools/call")).toHaveLength(1);
  });

  it.each<[string, object, string | undefined]>([
    ["recorded beside a text for people", { ...textResult("Two rows."), structuredContent: { rows: 2 } }, '{"rows":2}'],
    ["not recorded twice", { ...textResult('{ "rows": 2 }'), structuredContent: { rows: 2 } }, undefined],
    ["not recorded over 100,000 characters", { ...textResult("Rows."), structuredContent: "x".repeat(1e5) }, undefined],
  ])("a structured result is %s", async (_, result, structured) => {
    const [output] = (await use(server({ call: returns(result) }).listener)).outputs;
    expect((output as { structured?: string }).structured).toBe(structured);
  });

  it("may stream notifications and a ping before the result", async () => {
    expect((await use(server({ call: streams }).listener)).outputs).toEqual([{ text: "Done." }]);
  });
});

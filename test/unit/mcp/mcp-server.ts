import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { httpServer } from "../../support/http-server.ts";

const addInput = fromJsonSchema<{ a: number; b: number }>({
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false,
});
const nothing = fromJsonSchema<Record<string, never>>({ type: "object" });
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function newServer(calls: string[]): McpServer {
  const server = new McpServer({ name: "test", version: "1" });
  server.registerTool(
    "add",
    { description: "Adds two numbers.", inputSchema: addInput, annotations: { readOnlyHint: true } },
    async ({ a, b }) => {
      calls.push("add");
      return { content: [{ type: "text", text: String(a + b) }] };
    },
  );
  server.registerTool("send.mail", { description: "Sends.", inputSchema: nothing }, async () => {
    calls.push("send.mail");
    return { content: [{ type: "text", text: "the mailbox is full" }], isError: true };
  });
  server.registerTool(
    "set",
    { description: "Sets.", inputSchema: nothing, annotations: { idempotentHint: true } },
    async () => ({ content: [{ type: "resource_link", uri: "https://example.com/x", name: "X" }] }),
  );
  server.registerTool("draw", { description: "Draws.", inputSchema: nothing }, async () => ({
    content: [
      { type: "image", data: pixel, mimeType: "image/png" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    ],
  }));
  return server;
}

/** An MCP server over streamable HTTP on a free local port. `requests` has the headers of the requests that it got. */
export async function mcpServer() {
  const calls: string[] = [];
  const requests: IncomingMessage["headers"][] = [];
  const methods: string[] = [];
  const handler = createMcpHandler(() => newServer(calls));
  const server = await httpServer((request, response) => {
    void (async () => {
      requests.push(request.headers);
      const body = request.method === "POST" ? await buffer(request) : undefined;
      if (body) methods.push(String((JSON.parse(body.toString()) as { method?: string }).method));
      const answer = await handler.fetch(
        new Request(`http://127.0.0.1${request.url ?? "/"}`, {
          method: request.method ?? "GET",
          headers: Object.entries(request.headers).flatMap(([name, value]) =>
            typeof value === "string" ? [[name, value] as [string, string]] : [],
          ),
          ...(body && { body: new Uint8Array(body) }),
        }),
      );
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      for await (const chunk of answer.body ?? []) response.write(chunk);
      response.end();
    })();
  });
  return {
    url: `${server.url}/mcp`,
    port: server.port,
    calls,
    requests,
    methods,
    async [Symbol.asyncDispose]() {
      await handler.close();
      await server.close();
    },
  };
}

import type { ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { openTools, type ToolChoice } from "../../../src/agent/toolbox.ts";
import { httpServer } from "../../support/http-server.ts";
import type { McpServer } from "../../../src/agent/mcp/mcp-types.ts";

type Request = { id?: number; method: string; params?: { cursor?: string } };

/** A minimal MCP server. `answer` returns the result of a list or a call, as a value or as JSON text. */
export async function hostileServer(answer: (request: Request, response: ServerResponse) => unknown) {
  const server = await httpServer((incoming, response) => {
    if (incoming.method !== "POST") return void response.writeHead(405).end();
    void json(incoming).then((body) => {
      const request = body as Request;
      const say = (result: unknown): void => {
        const text = typeof result === "string" ? result : JSON.stringify(result);
        response.writeHead(200, { "content-type": "application/json" });
        response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},"result":${text}}`);
      };
      if (request.method === "initialize") {
        const serverInfo = { name: "hostile", version: "1" };
        return say({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo });
      }
      if (request.method !== "tools/list" && request.method !== "tools/call") {
        return void response.writeHead(request.id === undefined ? 202 : 404).end();
      }
      const result = answer(request, response);
      if (result !== undefined) say(result);
    });
  });
  const url = `${server.url}/mcp`;
  return {
    open: (more: Partial<ToolChoice> = {}, allowed: Partial<McpServer> = {}, secret = "s3cret-token") =>
      openTools(
        { tools: [], mcp: [{ name: "s", url, ...allowed }], ...more },
        { readSecret: async () => secret, addresses: "local" },
        new AbortController().signal,
      ),
    [Symbol.asyncDispose]: server.close,
  };
}

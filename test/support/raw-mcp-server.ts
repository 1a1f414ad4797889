import { text } from "node:stream/consumers";
import { httpServer } from "./http-server.ts";

/**
 * An MCP server that answers lists and calls with JSON texts, and records the bodies of calls as they arrived. `streamed`: it sends
 * event streams.
 */
export async function rawMcpServer(tools: object[], result: (body: string) => string, { streamed = false } = {}) {
  const calls: string[] = [];
  const server = await httpServer((request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    void text(request).then((body) => {
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      if (id === undefined) return void response.writeHead(202).end();
      const say = (json: string): void => {
        const message = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json}}`;
        response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" });
        response.end(streamed ? `data: ${message}\n\n` : message);
      };
      if (method === "tools/list") return say(JSON.stringify({ tools }));
      if (method === "tools/call") {
        calls.push(body);
        return say(result(body));
      }
      if (method !== "initialize") return void response.writeHead(404).end();
      const serverInfo = { name: "raw", version: "1" };
      say(JSON.stringify({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo }));
    });
  });
  return { url: `${server.url}/mcp`, calls, [Symbol.asyncDispose]: server.close };
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { openMcpServer } from "../../../src/agent/mcp/client.ts";
import type { McpServer } from "../../../src/agent/mcp/mcp-types.ts";
import { httpServer } from "../../support/http-server.ts";
import { files } from "../agent/scripted.ts";

export interface Request {
  id?: number | string;
  method: string;
  params?: { cursor?: string; _meta?: { progressToken?: unknown } };
}

export type Reply = (response: ServerResponse, request: Request) => void;

export const tool = (name: string, more: object = {}): object => ({ name, inputSchema: { type: "object" }, ...more });
export const textResult = (text: string): object => ({ content: [{ type: "text", text }] });

export function returns(result: object): Reply {
  return (response, { id }) => void response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

export function rejects(
  status: number,
  body: unknown = { jsonrpc: "2.0", id: null, error: { code: -32000, message: "No" } },
): Reply {
  return (response) => void response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
}

/**
 * An MCP server with sessions, of a protocol version before 2026. `unknownMethod` answers unknown methods before a session.
 */
export function server({
  unknownMethod = rejects(400),
  capabilities = { tools: {} },
  list = returns({ tools: [tool("look")] }),
  call = returns(textResult("Seen.")),
  get = (response) => void response.writeHead(405).end(),
  instructions,
}: {
  unknownMethod?: Reply;
  capabilities?: object | null;
  list?: Reply;
  call?: Reply;
  /** Answers GET. `lastId`: of the last event. */
  get?: (response: ServerResponse, lastId: string | undefined) => void;
  instructions?: unknown;
}) {
  const sessions: string[] = [];
  const received: string[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.setHeader("content-type", "application/json; charset=utf-8");
    if (request.method === "GET") return get(response, request.headers["last-event-id"]?.toString());
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = (await json(request)) as Request;
    const session = request.headers["mcp-session-id"];
    received.push(message.method);
    if (message.method === "initialize") {
      sessions.push(`session-${sessions.length + 1}`);
      response.setHeader("mcp-session-id", sessions.at(-1) ?? "");
      const serverInfo = { name: "s", version: "1" };
      return returns({ protocolVersion: "2025-06-18", serverInfo, capabilities, instructions })(response, message);
    }
    if (session === undefined) return unknownMethod(response, message);
    if (session !== sessions.at(-1)) return rejects(404)(response, message);
    if (message.id === undefined) return void response.writeHead(202).end();
    return (message.method === "tools/list" ? list : call)(response, message);
  };
  return { received, sessions, listener: (...both: Parameters<typeof listener>) => void listener(...both) };
}

/** Opens the server and calls its first tool `calls` times. */
export async function use(
  listener: ReturnType<typeof server>["listener"],
  calls = 1,
  { space = files(), ...settings }: Partial<McpServer> & { space?: ReturnType<typeof files> } = {},
) {
  await using listening = await httpServer(listener);
  const { signal } = new AbortController();
  const named = { name: "s", url: `${listening.url}/mcp`, ...settings };
  const opened = await openMcpServer(named, { readSecret: async () => undefined, addresses: "local" }, signal);
  const outputs = [];
  for (let n = 0; n < calls; n++) outputs.push(await opened.tools[0]?.run({}, { files: space, signal }));
  await opened.close();
  return { names: opened.tools.map(({ definition }) => definition.name), problems: opened.problems, outputs, opened };
}

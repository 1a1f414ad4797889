import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createTaskSessionFromClient,
  type TaskEnabledSession,
  type WithTasksOptions,
} from "@modelcontextprotocol/ext-tasks/client";

interface Endpoint {
  baseUrl: string;
  apiKey: string;
}

/** A client as programs use it, without settings: protocol version 2025-11-25. `auto`: the newest version of both sides. */
export type ClientMode = "legacy" | "auto";

const clientInfo = { name: "test", version: "1" };

export async function connectClient({ baseUrl, apiKey }: Endpoint, mode: ClientMode, query = ""): Promise<Client> {
  const client = new Client(clientInfo, mode === "auto" ? { versionNegotiation: { mode } } : {});
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp${query}`), { requestInit }));
  return client;
}

/** The result of a tool: its texts, and its structured content. */
export interface ToolAnswer {
  text: string;
  structured: Record<string, unknown>;
  isError: boolean;
  content: CallToolResult["content"];
}

export async function callTool(client: Client, name: string, input: object): Promise<ToolAnswer> {
  const result = await client.callTool({ name, arguments: { ...input } });
  const texts = result.content.map((block) => (block.type === "text" ? block.text : ""));
  return {
    text: texts.join("\n"),
    structured: (result.structuredContent ?? {}) as Record<string, unknown>,
    isError: result.isError === true,
    content: result.content,
  };
}

const protocolVersion = "2026-07-28";
export const taskCapabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };

/** Sends a JSON-RPC request of the protocol version 2026-07-28 without a client. */
export async function sendRpc(
  { baseUrl, apiKey }: Endpoint,
  method: string,
  params: Record<string, unknown>,
  clientCapabilities: object = {},
): Promise<{ status: number; result?: Record<string, unknown>; error?: { code: number; message: string } }> {
  const name = params["name"] ?? params["taskId"];
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": protocolVersion,
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": clientCapabilities,
  };
  const response = await fetch(`${baseUrl}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": protocolVersion,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: { ...params, _meta: { ...(params["_meta"] as object | undefined), ...envelope } },
    }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

/** A client that has the Tasks extension and can show forms to its user. */
export const formCapabilities = { ...taskCapabilities, elicitation: {} };

/**
 * A client that declares the Tasks extension. Its requests are sent by `sendRpc`: the SDK's client has no tasks.
 * `onInputRequest`: shows forms of tasks to the user.
 */
export async function connectTasks(
  endpoint: Endpoint,
  onInputRequest?: WithTasksOptions["onInputRequest"],
): Promise<TaskEnabledSession & { client: Client }> {
  const capabilities = onInputRequest ? formCapabilities : taskCapabilities;
  const client = await connectClient(endpoint, "auto");
  const session = createTaskSessionFromClient(client, {
    endpointId: "test",
    rawDispatch: async (request) => {
      const { method, params } = request as unknown as { method: string; params: Record<string, unknown> };
      const { result, error } = await sendRpc(endpoint, method, params, capabilities);
      return (error ? { kind: "error", error } : { kind: "result", result }) as never;
    },
    ...(onInputRequest && { onInputRequest }),
    v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities: capabilities },
  });
  return Object.assign(session, { client });
}

import { isObject } from "../../json.ts";
import { mapEvents } from "../../net/sse.ts";

type Json = Record<string, unknown>;

/** The MCP library's checks of protocol types. */
export interface SpecTypes {
  Tool(value: unknown): boolean;
  ContentBlock(value: unknown): boolean;
}

/**
 * A `fetch` that repairs responses which violate the protocol. The MCP library rejects a whole tool list for one
 * invalid tool, and the result of a call that has taken effect for one invalid content block. Seen in the wild:
 *
 * - null instead of an absent field: `nextCursor` (gensecaihq/Wazuh-MCP-Server#75), `annotations` and `_meta` of content
 *   (Azure/data-api-builder#3599), hints of a tool (GitHub's and Linear's servers, r33drichards/mcp-js#117)
 * - `inputSchema` without `type: "object"` (zereight/gitlab-mcp#286, modelcontextprotocol/servers#3051)
 * - `outputSchema`, but a text as the result (oculairmedia/Letta-MCP-server#102, robert7/remnote-mcp-server#7)
 * - tools without the capability `tools` (DeusData/codebase-memory-mcp#1185)
 * - a text as `content` (GopherSecurity/gopher-mcp#202)
 * - unknown content types: "json" (ElliotPadfield/unpaywall-mcp#4), "error" (calebl/ynab-mcp-server#31)
 */
export function tolerantFetch(fetch: typeof globalThis.fetch, isSpecType: SpecTypes): typeof globalThis.fetch {
  const repaired = (message: unknown): unknown => repairMessage(message, isSpecType);
  return async (input, init) => {
    const response = await fetch(input, init);
    const type = response.headers.get("content-type") ?? "";
    const { status, headers, body } = response;
    if (!response.ok || !body) return response;
    if (type.includes("event-stream")) {
      const events = mapEvents(body, (message) => [repaired(message)]);
      return new Response(ReadableStream.from(events), { status, headers });
    }
    if (!type.includes("json")) return response;
    return new Response(repairJson(await response.text(), repaired), { status, headers });
  };
}

function repairJson(text: string, repaired: (message: unknown) => unknown): string {
  try {
    return JSON.stringify(repaired(JSON.parse(text)));
  } catch {
    return text; // not JSON, or nested too deep for JSON.stringify
  }
}

function repairMessage(message: unknown, isSpecType: SpecTypes): unknown {
  if (Array.isArray(message)) return message.map((each) => repairMessage(each, isSpecType));
  if (!isObject(message) || !isObject(message["result"])) return message;
  return { ...message, result: repairResult(message["result"], isSpecType) };
}

function repairResult(result: Json, isSpecType: SpecTypes): Json {
  const { tools, content, capabilities } = result;
  if (Array.isArray(tools)) {
    const repaired = tools.filter(isObject).map(repairTool);
    return { ...withoutNulls(result), tools: repaired.filter((tool) => isSpecType.Tool(tool)) };
  }
  if (isObject(capabilities)) return { ...result, capabilities: { tools: {}, ...withoutNulls(capabilities) } };
  if (content === undefined) return result;
  const blocks = Array.isArray(content) ? content : [content];
  return { ...withoutNulls(result), content: blocks.map((block) => repairBlock(block, isSpecType)) };
}

/** Removes `outputSchema`: a result that does not match it would be rejected. */
function repairTool(tool: Json): Json {
  const { outputSchema: _, inputSchema, annotations, ...others } = withoutNulls(tool);
  const schema = isObject(inputSchema) ? withoutNulls(inputSchema) : {};
  const hints = isObject(annotations) ? { annotations: withoutNulls(annotations) } : {};
  return { ...others, ...hints, inputSchema: { ...schema, type: "object" } };
}

/** Replaces an invalid content block with a text block that contains its JSON. */
function repairBlock(block: unknown, isSpecType: SpecTypes): unknown {
  if (typeof block === "string") return { type: "text", text: block };
  const repaired = isObject(block) ? withoutNulls(block) : block;
  return isSpecType.ContentBlock(repaired) ? repaired : { type: "text", text: JSON.stringify(block) };
}

function withoutNulls(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null));
}

import { findExcessiveDepth, isObject, mayChange, parseExact, plainJson } from "../../json.ts";
import type { ListLimit } from "./list-limit.ts";
import { continuingFetch } from "./streams.ts";

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
 *
 * Of lists, what is beyond `limit` is removed before it is checked.
 */
export function tolerantFetch(
  fetch: typeof globalThis.fetch,
  isSpecType: SpecTypes,
  limit: ListLimit,
): typeof globalThis.fetch {
  const repaired = (message: unknown, text: string): unknown =>
    repairMessage(message, exactOf(text), { isSpecType, limit });
  const continuing = continuingFetch(fetch, repaired);
  return async (input, init) => {
    if (typeof init?.body === "string" && /"tools\/list"/.test(init.body) && !/"cursor"/.test(init.body)) limit.begin();
    const response = await continuing(input, init);
    const { status, headers } = response;
    if (!response.ok || !headers.get("content-type")?.includes("json")) return response;
    return new Response(repairJson(await response.text(), repaired), { status, headers });
  };
}

function repairJson(text: string, repaired: (message: unknown, text: string) => unknown): string {
  try {
    return JSON.stringify(repaired(JSON.parse(text), text));
  } catch {
    return text; // not JSON, or nested too deep for JSON.stringify
  }
}

/** What repairs need. */
interface RepairRules {
  isSpecType: SpecTypes;
  limit: ListLimit;
}

/** A message with the numbers of its text. Undefined: they are those of JavaScript, or it is nested too deep to be shown. */
function exactOf(text: string): unknown {
  const changes = mayChange(text.replace(/"jsonrpc":\s*"2\.0"/, ""));
  return changes && findExcessiveDepth(text) === undefined ? parseExact(text) : undefined;
}

/** `exact`: the message with the numbers of its text, if they are others. */
function repairMessage(message: unknown, exact: unknown, rules: RepairRules): unknown {
  if (Array.isArray(message)) {
    return message.map((each, index) => repairMessage(each, Array.isArray(exact) ? exact[index] : undefined, rules));
  }
  if (!isObject(message) || !isObject(message["result"])) return message;
  const repaired = repairResult(message["result"], rules);
  const read = isObject(exact) && isObject(exact["result"]) ? exact["result"] : {};
  return { ...message, result: { ...repaired, ...structuredAsText(repaired, read) } };
}

/** The key of the JSON text that is in place of structured content: the library parses the message again, and would change its numbers. */
const textKey = "agent-run-service/json";

function structuredAsText({ structuredContent: value }: Json, { structuredContent: exact }: Json): Json {
  if (exact === value || exact === undefined || exact === null) return {};
  const { json } = plainJson(exact);
  return json === undefined ? {} : { structuredContent: { [textKey]: json } };
}

/** The JSON text of structured content that the library returns, with the numbers that the server sent. */
export function structuredText(content: unknown): string {
  const text = isObject(content) ? content[textKey] : undefined;
  return typeof text === "string" ? text : JSON.stringify(content);
}

function repairResult(result: Json, { isSpecType, limit }: RepairRules): Json {
  const { tools, content, capabilities } = result;
  if (Array.isArray(tools)) {
    const repaired = limit.within(tools.filter(isObject)).map(repairTool);
    const { nextCursor, ...page } = withoutNulls(result);
    const more = nextCursor !== undefined && !limit.isReached && { nextCursor };
    return { ...page, ...more, tools: repaired.filter((tool) => isSpecType.Tool(tool)) };
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

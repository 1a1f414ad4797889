import { isObject } from "../../json.ts";
import { mapEvents } from "../../net/sse.ts";

type Json = Record<string, unknown>;

/**
 * A `fetch` whose answers the MCP library takes: it refuses the whole list for one tool that is not as the protocol has
 * it, and the result of a call that was made for one part. What is missing or wrong there is left out or put into words.
 */
export function mcpFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    const type = response.headers.get("content-type") ?? "";
    const { status, headers, body } = response;
    if (!response.ok || !body) return response;
    if (type.includes("event-stream")) {
      const events = mapEvents(body, (message) => [readable(message)]);
      return new Response(ReadableStream.from(events), { status, headers });
    }
    if (!type.includes("json")) return response;
    const text = await response.text();
    return new Response(readableText(text), { status, headers });
  };
}

function readableText(text: string): string {
  try {
    return JSON.stringify(readable(JSON.parse(text)));
  } catch {
    return text; // no JSON, or nested so deep that JSON.stringify fails
  }
}

function readable(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(readable);
  return isObject(message) && isObject(message["result"])
    ? { ...message, result: resultOf(message["result"]) }
    : message;
}

function resultOf(result: Json): Json {
  const { tools, content, capabilities } = result;
  if (Array.isArray(tools)) return { ...withoutNulls(result), tools: tools.flatMap(toolOf) };
  // A server that does not say that it has tools is asked for them all the same.
  if (isObject(capabilities)) return { ...result, capabilities: { tools: {}, ...withoutNulls(capabilities) } };
  if (content === undefined) return result;
  return { ...withoutNulls(result), content: (Array.isArray(content) ? content : [content]).map(blockOf) };
}

/** Without its schema of results, by which the library refuses a result although the call was made. */
function toolOf(tool: unknown): Json[] {
  if (!isObject(tool) || typeof tool["name"] !== "string") return [];
  const { outputSchema: _, inputSchema, annotations, ...others } = withoutNulls(tool);
  const schema = isObject(inputSchema) ? withoutNulls(inputSchema) : {};
  const hints = isObject(annotations) ? { annotations: withoutNulls(annotations) } : {};
  return [{ ...others, ...hints, inputSchema: { ...schema, type: "object" } }];
}

function blockOf(block: unknown): Json {
  if (!isObject(block)) return { type: "text", text: typeof block === "string" ? block : JSON.stringify(block) };
  const known = withoutNulls(block);
  return isKnown(known) ? known : { type: "text", text: JSON.stringify(block) };
}

/** Whether a block has what its type asks for. */
function isKnown({ type, text, data, mimeType, uri, name, resource }: Json): boolean {
  switch (type) {
    case "text":
      return typeof text === "string";
    case "image":
    case "audio":
      return typeof data === "string" && typeof mimeType === "string";
    case "resource_link":
      return typeof uri === "string" && typeof name === "string";
    case "resource":
      return (
        isObject(resource) &&
        typeof resource["uri"] === "string" &&
        typeof (resource["text"] ?? resource["blob"]) === "string"
      );
    default:
      return false;
  }
}

function withoutNulls(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null));
}

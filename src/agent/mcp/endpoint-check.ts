/** Milliseconds that a server has to begin its event stream. */
const streamMilliseconds = 3_000;
/** Characters of the stream in which its first event is searched. */
const maxCharacters = 2_000;

const needed = "set its URL to a streamable HTTP endpoint, often at /mcp";

/**
 * Why a server cannot be used that rejected `initialize` with `status` 400, 404 or 405; a clause. Undefined: the status does
 * not mean that the URL is wrong. A server with the older HTTP+SSE transport answers GET with a stream that begins with an
 * `endpoint` event: https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#backwards-compatibility
 */
export async function explainUnsupportedEndpoint(
  url: string,
  status: number,
  options: { fetch: typeof globalThis.fetch; headers: Record<string, string>; signal: AbortSignal },
): Promise<string | undefined> {
  if (await isSseTransport(url, options)) {
    return `the server uses the HTTP+SSE transport, which is not supported; ${needed}`;
  }
  if (status === 400) return undefined;
  return `the URL is not an endpoint for streamable HTTP (HTTP ${status}); ${needed}`;
}

async function isSseTransport(
  url: string,
  { fetch, headers, signal }: Parameters<typeof explainUnsupportedEndpoint>[2],
): Promise<boolean> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), streamMilliseconds);
  try {
    const response = await fetch(url, {
      headers: { ...headers, accept: "text/event-stream" },
      signal: AbortSignal.any([signal, limit.signal]),
    });
    if (!response.ok || !response.headers.get("content-type")?.includes("event-stream")) return false;
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (/^event: ?endpoint\r?$/m.test(text)) return true;
      if (text.length > maxCharacters) return false;
    }
    return false;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    limit.abort(); // closes the stream
  }
}

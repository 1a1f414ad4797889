import { safeFetch, type NetworkRules } from "../../net/safe-fetch.ts";
import { withTimeout } from "../../async/with-timeout.ts";
import { fetchLimits, webFetch } from "./definitions.ts";
import type { ReadDocument } from "../../documents/read-document.ts";
import { decodeText } from "../../documents/decode-text.ts";
import { builtInTool, errorOutput, type Tool, type ToolOutput } from "./tool.ts";

/** `web_fetch`. `readDocument` makes Markdown of HTML: a page can be made so that this takes hours. */
export function webFetchTool(rules: NetworkRules, readDocument: ReadDocument): Tool {
  const get = safeFetch({ ...rules, responseBytes: fetchLimits.bytes });
  return builtInTool(webFetch, async ({ url, offset = 0 }: { url: string; offset?: number }, { signal }) => {
    if (!URL.canParse(url))
      return errorOutput(`${JSON.stringify(url)} is no URL. Accepted: such as https://example.com/page.`);
    const fetched = await withTimeout(fetchLimits.seconds * 1000, signal, (cut) =>
      page(get, readDocument, new URL(url), cut).catch((error: unknown) => {
        cut.throwIfAborted();
        return { problem: `it can't be fetched: ${error instanceof Error ? error.message : String(error)}` };
      }),
    );
    if (fetched.timedOut) return errorOutput(`${url}: it took more than ${fetchLimits.seconds} seconds.`);
    const found = fetched.value;
    return "problem" in found ? errorOutput(`${url}: ${found.problem}.`) : shown(found, offset);
  });
}

interface Page {
  url: URL;
  status: number;
  text: string;
}

/** Follows redirects, each of them by the same rules. */
async function page(
  get: typeof fetch,
  readDocument: ReadDocument,
  from: URL,
  signal: AbortSignal,
): Promise<Page | { problem: string }> {
  let url = from;
  for (let redirects = 0; redirects <= fetchLimits.redirects; redirects++) {
    const headers = { accept: "text/html, text/*, application/json, */*;q=0.1", "user-agent": "agent-run-service" };
    const response = await get(url.href, { headers, signal });
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      if (!URL.canParse(location, url.href))
        return { problem: `it redirects to ${JSON.stringify(location)}, which is no URL` };
      url = new URL(location, url.href);
      continue;
    }
    const content = decodeText(new Uint8Array(await response.arrayBuffer()));
    if ("binary" in content) return { problem: `it is ${content.binary}; only text can be fetched` };
    const { status } = response;
    if (!/html/i.test(response.headers.get("content-type") ?? "")) return { url, status, text: content.text };
    const read = await readDocument("html", new TextEncoder().encode(content.text), signal);
    return "problem" in read ? read : { url, status, text: read.text };
  }
  return { problem: `it redirects more than ${fetchLimits.redirects} times` };
}

function shown({ url, status, text }: Page, offset: number): ToolOutput {
  const end = offset + fetchLimits.characters;
  const heading = `${url.href} (status ${status}): characters ${offset} to ${Math.min(end, text.length)} of ${text.length}`;
  const more = text.length > end ? `\n[More: continue with offset ${end}.]` : "";
  const output = `${heading}\n${text.slice(offset, end)}${more}`;
  return status >= 400 ? errorOutput(output) : { text: output };
}

import { withTimeout } from "../../async/with-timeout.ts";
import { decodeText } from "../../documents/encoding/decode-text.ts";
import { noteLines } from "../../documents/ledger.ts";
import type { ReadDocument } from "../../documents/read-document.ts";
import { parseUrl } from "../../net/parse-url.ts";
import { type NetworkRules, safeFetch } from "../../net/safe-fetch.ts";
import { fetchLimits, webFetch } from "./definitions.ts";
import { builtInTool, errorOutput, type Tool, type ToolOutput } from "./tool.ts";

/**
 * `readDocument` converts HTML to Markdown. It must run in a sandbox: a hostile page can take hours to convert. `hosts`: the
 * only ones that the tool connects to, also after a redirect. Empty: all that the rules allow.
 */
export function webFetchTool(rules: NetworkRules, readDocument: ReadDocument, hosts: string[] = []): Tool {
  const fetch = onHosts(hosts, safeFetch({ ...rules, responseBytes: fetchLimits.bytes }));
  const only = hosts.length === 0 ? "" : ` Only these hosts can be reached: ${hosts.join(", ")}.`;
  const definition = { ...webFetch, description: webFetch.description + only };
  return builtInTool(definition, async ({ url, offset = 0 }: { url: string; offset?: number }, { signal }) => {
    const address = parseUrl(url);
    if (!address) {
      return errorOutput(`${JSON.stringify(url)} is not a valid URL; expected e.g. https://example.com/page.`);
    }
    const fetched = await withTimeout(fetchLimits.seconds * 1000, signal, (limit) =>
      fetchPage(fetch, readDocument, address, limit).catch((error: unknown) => {
        limit.throwIfAborted();
        return { problem: `it cannot be fetched: ${error instanceof Error ? error.message : String(error)}` };
      }),
    );
    if (fetched.timedOut) return errorOutput(`${url}: it took more than ${fetchLimits.seconds} seconds.`);
    const page = fetched.value;
    return "problem" in page ? errorOutput(`${url}: ${page.problem}.`) : pageOutput(page, offset);
  });
}

/** A `fetch` that connects to some hosts only. `*.example.com` is every name below `example.com`. */
function onHosts(hosts: string[], fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  const accepts = (hostname: string): boolean =>
    hosts.some((each) => (each.startsWith("*.") ? hostname.endsWith(each.slice(1)) : hostname === each));
  return async (input, init) => {
    const { hostname } = new URL(input instanceof Request ? input.url : input);
    if (hosts.length === 0 || accepts(hostname.replace(/\.$/, ""))) return fetch(input, init);
    throw new Error(`${hostname} is not a host that this agent can reach; these are: ${hosts.join(", ")}`);
  };
}

interface Page {
  url: URL;
  status: number;
  text: string;
  /** What the text lacks. */
  notes?: string[];
}

/** Follows redirects. The network rules apply to each of them. */
async function fetchPage(
  fetch: typeof globalThis.fetch,
  readDocument: ReadDocument,
  start: URL,
  signal: AbortSignal,
): Promise<Page | { problem: string }> {
  let url = start;
  for (let redirects = 0; redirects <= fetchLimits.redirects; redirects++) {
    const headers = { accept: "text/html, text/*, application/json, */*;q=0.1", "user-agent": "agent-run-service" };
    const response = await fetch(url.href, { headers, signal });
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      if (!URL.canParse(location, url.href)) {
        return { problem: `it redirects to ${JSON.stringify(location)}, which is not a valid URL` };
      }
      url = new URL(location, url.href);
      continue;
    }
    const content = decodeText(new Uint8Array(await response.arrayBuffer()));
    if ("binary" in content) return { problem: `it is ${content.binary}; only text can be fetched` };
    const { status } = response;
    if (!/html/i.test(response.headers.get("content-type") ?? "")) return { url, status, text: content.text };
    const markdown = await readDocument("html", new TextEncoder().encode(content.text), signal);
    return "problem" in markdown ? markdown : { url, status, text: markdown.text, notes: noteLines(markdown) };
  }
  return { problem: `it redirects more than ${fetchLimits.redirects} times` };
}

function pageOutput({ url, status, text, notes = [] }: Page, offset: number): ToolOutput {
  const end = offset + fetchLimits.characters;
  const heading = `${url.href} (status ${status}): characters ${offset} to ${Math.min(end, text.length)} of ${text.length}`;
  const more = text.length > end ? `\n[More: continue with offset ${end}.]` : "";
  const lacks = notes.map((note) => `\n${note}`).join("");
  const output = `${heading}\n${text.slice(offset, end)}${more}${lacks}`;
  return status >= 400 ? errorOutput(output) : { text: output };
}

import { unescape } from "node:querystring";

/** The path of a request's URL, percent-decoded, without the query. */
export function pathOf(url: string): string {
  // Clients with a configured proxy send a whole URL instead of a path (RFC 9112, 3.2.2).
  const path = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "");
  const query = path.indexOf("?");
  const encoded = (query < 0 ? path : path.slice(0, query)) || "/";
  return encoded.includes("%") ? unescape(encoded) : encoded; // /v1/agent%73 is the same path (RFC 3986, 2.3)
}

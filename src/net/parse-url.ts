/**
 * The URL of a text that begins with a scheme, `//` and a host. Undefined for any other text. `URL.parse` also accepts
 * `https:///x` and `https:x`, as `https://x/`: not the address that a reader of the text expects.
 */
export function parseUrl(text: string): URL | undefined {
  return /^\s*[a-z][a-z\d+.-]*:\/\/[^/\\]/i.test(text) ? (URL.parse(text) ?? undefined) : undefined;
}

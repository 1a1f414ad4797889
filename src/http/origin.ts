/**
 * Parses an origin of a page, such as `https://app.example.com`. Undefined: it is none, or no browser sends it: one with the port
 * of its scheme, or with `*`: wildcards are not supported.
 */
export function parseOrigin(text: string): string | undefined {
  const parsed = URL.parse(text);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.hostname.includes("*")) return undefined;
  return parsed.origin === text.replace(/\/$/, "").toLowerCase() ? parsed.origin : undefined;
}

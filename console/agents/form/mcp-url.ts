import { type Draft, isObject, type Json, type Path, valueAt, withValue } from "../../form/json.ts";

/**
 * Changes the URL of an MCP server. Its headers lose their stored secrets, because a secret goes to the server that it
 * was named for. The stored URL brings them back.
 */
export function withServerUrl(stored: Draft, draft: Draft, server: Path, url: string | undefined): Draft {
  const changed = withValue(draft, [...server, "url"], url);
  const before = storedServer(stored, draft, server);
  const headers = valueAt(draft, [...server, "headers"]);
  if (!before || !isObject(headers)) return changed;
  const known = isObject(before["headers"]) ? before["headers"] : {};
  const fields = Object.entries(headers).map(([name, header]): [string, Json] => {
    const secret = isObject(known[name]) ? known[name]["secret"] : undefined;
    if (!isObject(header) || secret === undefined) return [name, header];
    if (url === before["url"]) return [name, { ...header, secret: header["secret"] || secret }];
    return [name, header["secret"] === secret ? { ...header, secret: "" } : header];
  });
  return withValue(changed, [...server, "headers"], Object.fromEntries(fields));
}

/** Whether the server's URL differs from the stored one, and a header has no secret. */
export function lacksSecrets(stored: Draft, draft: Draft, server: Path): boolean {
  const before = storedServer(stored, draft, server);
  const headers = valueAt(draft, [...server, "headers"]);
  if (!before || before["url"] === valueAt(draft, [...server, "url"]) || !isObject(headers)) return false;
  return Object.values(headers).some((header) => isObject(header) && !header["secret"]);
}

/** The stored definition of a server: the one with its name, because servers move when one is removed. */
function storedServer(stored: Draft, draft: Draft, server: Path): { [name: string]: Json } | undefined {
  const name = valueAt(draft, [...server, "name"]);
  const servers = Array.isArray(stored["mcp"]) ? stored["mcp"].filter(isObject) : [];
  return servers.find((each) => each["name"] === name);
}

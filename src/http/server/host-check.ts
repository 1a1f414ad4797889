import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { type ApiResponse, jsonResponse } from "../handler.ts";
import { pathOf } from "./request-path.ts";

/** The names under which the console, the management API and the MCP endpoint of this machine may be used. */
export interface HostRules {
  /** The address or name that the server listens on, such as `127.0.0.1`, or `0.0.0.0` for all. */
  host: string;
  /**
   * Further names, with or without a port: those that a reverse proxy sends. Lower case. Absent: the server has no option for
   * them.
   */
  allowedHosts?: string[];
}

const guarded = /^\/(console|manage|mcp)(\/|$)/;

/**
 * The response to a request for one of these that a page of another site may have made.
 *
 * - `Host` must be an address of this server. A site whose name is made to resolve to this machine (DNS rebinding) would be
 *   of the same origin as the console, for the browser.
 * - A write must not have the `Origin` of another site. Browsers cannot send the token from there, because no response
 *   allows it (CORS).
 */
export function hostRefusal(
  incoming: Pick<IncomingMessage, "method" | "url" | "headers" | "socket" | "httpVersion">,
  rules: HostRules,
): ApiResponse | undefined {
  const { method = "GET", url = "/", headers, socket } = incoming;
  if (!guarded.test(pathOf(url))) return undefined;
  const { host, origin } = headers;
  if (host === undefined && incoming.httpVersion === "1.1") return undefined; // `refusal` answers that it is malformed
  const port = socket.localPort ?? 0;
  if (host === undefined || !acceptsHost(host, port, rules)) {
    return forbidden(
      `${host === undefined ? "The request has no Host header" : `The Host header is ${shown(host)}`}; accepted: ` +
        `${acceptedText(port, rules)}.${rules.allowedHosts ? advice : ""}`,
    );
  }
  if (origin === undefined || reads.has(method) || isOwnOrigin(origin, host, rules)) return undefined;
  return forbidden(`The request comes from a page of ${shown(origin)}; only pages of this service may change data.`);
}

const advice = " To accept another name, such as that of a reverse proxy, start the service with --allow-host NAME.";

const reads = new Set(["GET", "HEAD", "OPTIONS"]);

/** Parses `NAME`, `NAME:PORT`, `ADDRESS:PORT` or `[ADDRESS]:PORT`. Undefined: it is not one of these. */
export function parseHost(text: string): { name: string; port: number | undefined } | undefined {
  if (!/^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:\d{1,5})?$/i.test(text)) return undefined;
  const parsed = URL.parse(`http://${text}`);
  if (!parsed) return undefined;
  const [, port] = /:(\d+)$/.exec(text) ?? [];
  return { name: withoutBrackets(parsed.hostname), port: port === undefined ? undefined : Number(port) };
}

const loopback = new Set(["127.0.0.1", "localhost", "::1"]);

function acceptsHost(received: string, localPort: number, { host, allowedHosts = [] }: HostRules): boolean {
  const parsed = parseHost(received);
  if (!parsed) return false;
  const { name, port = 80 } = parsed;
  if (isAllowed(parsed, allowedHosts)) return true;
  // Any port: that of a container is often published under another number. An address cannot be rebound.
  if (isWildcard(host)) return isIP(name) !== 0 || name === "localhost" || name === hostname().toLowerCase();
  return port === localPort && (loopback.has(name) || name === parseHost(bracketed(host))?.name);
}

function isAllowed({ name, port }: { name: string; port: number | undefined }, allowedHosts: string[]): boolean {
  return allowedHosts.some((each) => {
    const allowed = parseHost(each);
    return allowed?.name === name && (allowed.port === undefined || allowed.port === port);
  });
}

function isOwnOrigin(origin: string, host: string, { allowedHosts = [] }: HostRules): boolean {
  const parsed = URL.parse(origin);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return false;
  // A proxy may speak https with the browser and http with this server.
  if (parsed.host === URL.parse(`${parsed.protocol}//${host}`)?.host) return true;
  const from = parseHost(parsed.host);
  return from !== undefined && isAllowed(from, allowedHosts);
}

function acceptedText(port: number, { host, allowedHosts = [] }: HostRules): string {
  const own = isWildcard(host)
    ? ["any IP address", "localhost", hostname().toLowerCase()]
    : [...new Set(["127.0.0.1", "localhost", "[::1]", bracketed(host)])].map((name) => `${name}:${port}`);
  return [...own, ...allowedHosts].join(", ");
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || withoutBrackets(parseHost(bracketed(host))?.name ?? host) === "::";
}

/** An address as it is written in a URL. */
export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function withoutBrackets(name: string): string {
  return name.replace(/^\[(.*)\]$/, "$1");
}

function shown(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

function forbidden(detail: string): ApiResponse {
  return jsonResponse(403, { detail, code: "forbidden" });
}

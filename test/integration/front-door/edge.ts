import { type IncomingHttpHeaders, request as httpRequest } from "node:http";
import { viewerRequestCode } from "../../../lib/front-door/viewer-request.ts";
import { httpServer } from "../../support/http-server.ts";
import { streamCheckPath } from "../../../src/http/server/stream-check.ts";
import { originSecretHeader } from "../../../src/http/server/origin-secret.ts";
import { runViewerRequest } from "./viewer-request.ts";

/** A stand-in for CloudFront: runs the deployed function for each request and forwards it to the selected origin. */
export interface Edge {
  baseUrl: string;
  /** Requests per origin, and those that the function answered itself. */
  counts: { small: number; large: number; streams: number; rejected: number };
  close(): Promise<void>;
}

/**
 * `host`: the Host header for the small origin. `secret`: the origin secret that the large origin receives.
 */
export async function startEdge(options: {
  small: { baseUrl: string; host?: string };
  large: { baseUrl: string; secret: string };
  /** Base URL of the server of streams, if it is another. */
  streamsUrl?: string;
}): Promise<Edge> {
  const code = viewerRequestCode("event-streams");
  const counts = { small: 0, large: 0, streams: 0, rejected: 0 };
  const server = await httpServer((incoming, outgoing) => {
    const { method = "GET", url: path = "/", headers } = incoming;
    const { origin, returned } = runViewerRequest(code, { method, uri: path, headers: flat(headers) });
    if ("statusCode" in returned) {
      counts.rejected++;
      const answered = Object.entries(returned.headers).map(([name, { value }]) => [name, value]);
      incoming.resume();
      outgoing.writeHead(returned.statusCode, Object.fromEntries(answered)).end(returned.body.data);
      return;
    }
    const toStreams = origin === "event-streams" || path === streamCheckPath;
    const to = toStreams || origin !== undefined ? "large" : "small";
    counts[toStreams ? "streams" : to]++;
    const { host: _, expect: __, ...passed } = headers;
    const own =
      to === "large"
        ? { [originSecretHeader]: options.large.secret }
        : { ...(options.small.host && { host: options.small.host }) };
    const forwarded = httpRequest(
      (toStreams ? (options.streamsUrl ?? options.large.baseUrl) : options[to].baseUrl) + path,
      { method, headers: { ...passed, ...own }, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  return {
    baseUrl: server.url,
    counts,
    close: server.close,
  };
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]));
}

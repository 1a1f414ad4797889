import { lookup } from "node:dns";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { isPublicAddress } from "./public-ip.ts";
import { bodilessStatuses, toHeaders } from "./headers.ts";

/**
 * `privateAddresses`: whether it may connect to addresses that are not of the public internet. `responseBytes`: how
 * much of a response is read before it fails; absent, all of it.
 */
export interface NetworkRules {
  privateAddresses: boolean;
  responseBytes?: number;
}

/**
 * A `fetch` that follows no redirects, takes no proxy and decodes no compression, and, unless the rules allow it,
 * connects to addresses of the public internet only. The address is checked as the connection is made, so a name that
 * answers differently the second time gains nothing. Rejects with an Error whose message is for people.
 */
export function safeFetch(rules: NetworkRules): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    if (url.protocol !== "https:" && url.protocol !== "http:") {
      throw new Error(`${url.protocol}// is not accepted; https:// and http:// are`);
    }
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (!rules.privateAddresses && isIP(host) !== 0 && !isPublicAddress(host)) throw refused(host, host);
    const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
    const response = await send(url, request, body, rules);
    return toResponse(response, rules.responseBytes ?? Number.POSITIVE_INFINITY);
  };
}

function send(url: URL, request: Request, body: Buffer | undefined, rules: NetworkRules): Promise<IncomingMessage> {
  const start = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = start(url, {
      method: request.method,
      headers: { ...Object.fromEntries(request.headers), "accept-encoding": "identity" },
      signal: request.signal,
      agent: false, // a connection of its own, so that no address goes unchecked
      ...(!rules.privateAddresses && { lookup: publicLookup }),
    });
    outgoing.on("response", resolve);
    outgoing.on("error", (error) => reject(request.signal.aborted ? request.signal.reason : error));
    outgoing.end(body);
  });
}

function toResponse(message: IncomingMessage, max: number): Response {
  const status = message.statusCode ?? 502;
  if (status < 200 || status > 599) {
    message.destroy();
    throw new Error(`the server answered with the invalid status ${status}`);
  }
  const headers = toHeaders(message);
  if (bodilessStatuses.has(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  const body = Readable.toWeb(Number.isFinite(max) ? Readable.from(upTo(max, message)) : message);
  return new Response(body as ReadableStream<Uint8Array>, { status, headers });
}

async function* upTo(max: number, message: IncomingMessage): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of message as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > max) throw new Error(`the response has more than ${max} bytes`);
    yield chunk;
  }
}

/** Looks a name up and fails when one of its addresses is not public: the connection may use any of them. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const wrong = addresses?.find(({ address }) => !isPublicAddress(address));
    const [first] = addresses ?? [];
    if (error) callback(error, "");
    else if (wrong || !first) callback(refused(hostname, wrong?.address ?? "no address"), "");
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

function refused(host: string, address: string): Error {
  const which = host === address ? host : `${host} (${address})`;
  return new Error(`${which} is not an address of the public internet, and connecting to others is not allowed here`);
}

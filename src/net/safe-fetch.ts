import { lookup } from "node:dns";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { isPublicAddress } from "./public-ip.ts";
import { bodilessStatuses, toHeaders } from "./headers.ts";

export interface NetworkRules {
  /** Whether connections to addresses outside of the public internet are allowed. */
  privateAddresses: boolean;
  /** Maximum size of a response body. Reading a larger one fails. Absent: no limit. */
  responseBytes?: number;
}

/**
 * A `fetch` that protects against server-side request forgery.
 * - It connects only to addresses of the public internet, unless the rules allow others. The address is checked when the
 *   connection is made, so DNS rebinding does not help an attacker.
 * - It does not follow redirects, use a proxy or decompress.
 * - It rejects with an Error whose message is a clause for users.
 */
export function safeFetch(rules: NetworkRules): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    if (url.protocol !== "https:" && url.protocol !== "http:") {
      throw new Error(`${url.protocol}// is not accepted; https:// and http:// are`);
    }
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (!rules.privateAddresses && isIP(host) !== 0 && !isPublicAddress(host)) throw privateAddressError(host, host);
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
      agent: false, // a new connection, so that its address is checked
      ...(!rules.privateAddresses && { lookup: publicLookup }),
    });
    outgoing.on("response", resolve);
    // Without an error or a response, for example after status 101.
    outgoing.on("close", () => reject(new Error("the server closed the connection without a response")));
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
  const body = Readable.toWeb(Number.isFinite(max) ? Readable.from(limitBytes(message, max)) : message);
  return new Response(body as ReadableStream<Uint8Array>, { status, headers });
}

async function* limitBytes(message: IncomingMessage, max: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of message as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > max) throw new Error(`the response has more than ${max} bytes`);
    yield chunk;
  }
}

/** Looks up a name. Fails if one of its addresses is not public, because the connection may use any of them. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const notPublic = addresses?.find(({ address }) => !isPublicAddress(address));
    const [first] = addresses ?? [];
    if (error) callback(error, "");
    else if (notPublic || !first) callback(privateAddressError(hostname, notPublic?.address ?? "no address"), "");
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

function privateAddressError(host: string, address: string): Error {
  const target = host === address ? host : `${host} (${address})`;
  return new Error(
    `${target} is not an address of the public internet; connections to other addresses are not allowed`,
  );
}

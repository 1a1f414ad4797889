import { lookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { type AddressScope, describeScope, isAllowedAddress } from "./addresses.ts";
import { bodilessStatuses, toHeaders } from "./headers.ts";

export interface NetworkRules {
  addresses: AddressScope;
  /** Maximum size of a response body. Reading a larger one fails. Absent: no limit. */
  responseBytes?: number;
}

/** How names are looked up and connections are made. */
export interface Connector {
  lookup: (hostname: string, options: LookupAllOptions, callback: LookupCallback) => void;
  /** Default: TCP, with TLS for https. */
  createConnection?: NonNullable<RequestOptions["createConnection"]>;
}

type LookupCallback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** A connection was not made, because its address is not allowed. */
export class AddressRefused extends Error {
  override name = "AddressRefused";
}

/**
 * A `fetch` that protects against server-side request forgery.
 * - It connects only to addresses that the rules allow. The address is checked when the
 *   connection is made, so DNS rebinding does not help an attacker.
 * - It does not follow redirects, use a proxy or decompress.
 * - It rejects with an Error whose message is a clause for users.
 */
export function safeFetch(rules: NetworkRules, connector: Connector = { lookup }): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    if (url.protocol !== "https:" && url.protocol !== "http:") {
      throw new Error(`${url.protocol}// is not accepted; https:// and http:// are`);
    }
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) !== 0 && !isAllowedAddress(host, rules.addresses)) throw addressError(host, host, rules.addresses);
    const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
    const response = await send(url, request, body, { rules, connector });
    return toResponse(response, rules.responseBytes ?? Number.POSITIVE_INFINITY);
  };
}

function send(
  url: URL,
  request: Request,
  body: Buffer | undefined,
  { rules, connector }: { rules: NetworkRules; connector: Connector },
): Promise<IncomingMessage> {
  const start = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = start(url, {
      method: request.method,
      headers: { ...Object.fromEntries(request.headers), "accept-encoding": "identity" },
      signal: request.signal,
      // A new connection, so that its address is checked.
      ...(connector.createConnection ? { createConnection: connector.createConnection } : { agent: false }),
      lookup: checkedLookup(rules.addresses, connector),
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
    message.destroy(); // a server can send an endless body with 205
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

/** Looks up a name. Fails if one of its addresses is not allowed, because the connection may use any of them. */
function checkedLookup(scope: AddressScope, connector: Connector): LookupFunction {
  return (hostname, options, callback) => {
    connector.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const refused = addresses?.find(({ address }) => !isAllowedAddress(address, scope));
      const [first] = addresses ?? [];
      if (error) callback(error, "");
      else if (refused || !first) callback(addressError(hostname, refused?.address ?? "no address", scope), "");
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function addressError(host: string, address: string, scope: AddressScope): Error {
  const target = host === address ? host : `${host} (${address})`;
  const message = `${target} is not an address of ${describeScope(scope)}; connections to other addresses are not allowed`;
  return new AddressRefused(message);
}

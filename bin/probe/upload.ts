import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { printableLine } from "../printable.ts";

/** A create to send, or with `GET` another request. */
interface Upload {
  method?: "GET" | "POST";
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
  framing: "length" | "chunked";
  /** Send `Expect: 100-continue` and wait for the response before the body. */
  expect: boolean;
  timeoutSeconds: number;
}

/** The result of a create. */
export interface Outcome {
  /** Absent if no response arrived. */
  status?: number;
  /** Who sent the response: `service`, `API Gateway`, … or `none`. */
  respondedBy: string;
  /** Where the service's response came from, if its headers name a part of AWS. */
  via?: "API Gateway" | "CloudFront function";
  /** The `detail` of the service's error, the start of another response, or why there is none. Printable, one line. */
  detail: string;
  /** Whether `100 Continue` arrived. */
  continued: boolean;
  /** Bytes of headers and body sent before the response was complete. */
  sent: number;
  seconds: number;
}

/** Characters of a response that are printed. */
const maxDetail = 200;
const maxServer = 40;

const pieceBytes = 64 * 1024;
/** After this wait for `100 Continue` the body is sent anyway, as curl does. */
const continueMilliseconds = 1_000;

/** Sends a create on its own connection. Never rejects. */
export function upload(create: Upload): Promise<Outcome> {
  const { method = "POST", url, headers, body, framing, expect, timeoutSeconds } = create;
  const started = performance.now();
  let continued = false;
  return new Promise((resolve) => {
    const request: ClientRequest = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, {
      method,
      agent: false,
      headers: {
        ...headers,
        "content-type": "application/json",
        ...(framing === "length" ? { "content-length": body.length } : { "transfer-encoding": "chunked" }),
        ...(expect ? { expect: "100-continue" } : {}),
      },
    });
    const done = (outcome: Omit<Outcome, "continued" | "sent" | "seconds">): void => {
      clearTimeout(deadline);
      const sent = request.socket?.bytesWritten ?? 0;
      resolve({ ...outcome, continued, sent, seconds: (performance.now() - started) / 1_000 });
      request.destroy();
    };
    const deadline = setTimeout(() => {
      done({ respondedBy: "none", detail: `no response within ${timeoutSeconds} s` });
    }, timeoutSeconds * 1_000);

    let answered = false;
    request.on("response", (response) => {
      answered = true;
      const { statusCode: status = 0 } = response;
      text(response).then(
        (content) => done({ status, ...described(response, content) }),
        (error: Error) => done({ status, respondedBy: "none", detail: `the response was cut off: ${error.message}` }),
      );
    });
    // A server that rejects early may close the connection while the body is being sent. Its response counts.
    request.on("error", (error: NodeJS.ErrnoException) => {
      if (!answered) done({ respondedBy: "none", detail: error.code ?? error.message });
    });

    let sending = false;
    const send = (): void => {
      if (!sending && !request.destroyed) Readable.from(pieces(body)).pipe(request);
      sending = true;
    };
    if (!expect) return send();
    request.on("continue", () => {
      continued = true;
      send();
    });
    request.flushHeaders();
    setTimeout(() => {
      if (!answered) send();
    }, continueMilliseconds);
  });
}

function* pieces(body: Buffer): Generator<Buffer> {
  for (let start = 0; start < body.length; start += pieceBytes) yield body.subarray(start, start + pieceBytes);
}

function described({ headers }: IncomingMessage, content: string): Pick<Outcome, "respondedBy" | "via" | "detail"> {
  const start = printableLine(content.slice(0, 80));
  try {
    const { detail, message, agent_id: id, openapi } = JSON.parse(content) as Record<string, unknown>;
    const service = { respondedBy: "service", ...viaOf(headers) };
    if (detail !== undefined)
      return { ...service, detail: typeof detail === "string" ? printableLine(detail, maxDetail) : start };
    if (id !== undefined || openapi !== undefined) return { ...service, detail: "" };
    if (message === "Request Too Long") return { respondedBy: "Lambda's limit", detail: message };
    if (message !== undefined) return { respondedBy: "API Gateway", detail: start };
  } catch {
    // Not JSON: not a response of the service.
  }
  const server = printableLine(String(headers["server"] ?? "unknown"), maxServer);
  if (/cloudfront/i.test(server + content)) return { respondedBy: "CloudFront", detail: start };
  if ("apigw-requestid" in headers) return { respondedBy: "API Gateway", detail: start };
  return { respondedBy: server, detail: start };
}

/** HTTP APIs add `apigw-requestid`. CloudFront names a response of its function in `x-cache`. */
function viaOf(headers: IncomingHttpHeaders): Pick<Outcome, "via"> {
  if (/^FunctionGeneratedResponse/i.test(String(headers["x-cache"]))) return { via: "CloudFront function" };
  return "apigw-requestid" in headers ? { via: "API Gateway" } : {};
}

/** A create body of exactly `bytes` bytes, padded with spaces. `base64`: length of its one file. */
export function createBody(bytes: number, templateId: string): { body: Buffer; base64: number } {
  const [before, after] = [
    `{"name":"probe","template_id":"${templateId}","files":[{"filename":"probe.bin","content_base64":"`,
    '"}]}',
  ];
  const base64 = Math.floor((bytes - before.length - after.length) / 4) * 4;
  const body = Buffer.alloc(bytes, " ");
  body.write(before, 0);
  body.fill("A", before.length, before.length + base64);
  body.write(after, before.length + base64);
  return { body, base64 };
}

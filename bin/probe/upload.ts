import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";

/** One create to be sent. */
export interface Upload {
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
  framing: "length" | "chunked";
  /** Asks for `100 Continue` first. */
  expect: boolean;
  timeoutSeconds: number;
}

/** What came of it. */
export interface Outcome {
  /** Absent when no answer came. */
  status?: number;
  /** Whose answer it is, or why there is none. */
  answeredBy: string;
  /** What the answer says: the contract's `detail`, or the beginning of the text. */
  detail: string;
  /** `100 Continue` came. */
  continued: boolean;
  /** Bytes that had left, of body and headers, when the answer was there. */
  sent: number;
  seconds: number;
}

const pieceBytes = 64 * 1024;
/** How long to wait for `100 Continue`, as curl does; after that the body is sent all the same. */
const continueMilliseconds = 1_000;

/** Sends it on a connection of its own. Never rejects. */
export function upload({ url, headers, body, framing, expect, timeoutSeconds }: Upload): Promise<Outcome> {
  const started = performance.now();
  let continued = false;
  return new Promise((resolve) => {
    const request: ClientRequest = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, {
      method: "POST",
      agent: false,
      headers: {
        ...headers,
        "content-type": "application/json",
        ...(framing === "length" ? { "content-length": body.length } : { "transfer-encoding": "chunked" }),
        ...(expect ? { expect: "100-continue" } : {}),
      },
    });
    const done = (outcome: Pick<Outcome, "status" | "answeredBy" | "detail">): void => {
      clearTimeout(overdue);
      const sent = request.socket?.bytesWritten ?? 0;
      resolve({ ...outcome, continued, sent, seconds: (performance.now() - started) / 1_000 });
      request.destroy();
    };
    const overdue = setTimeout(() => {
      done({ answeredBy: "nobody", detail: `no answer within ${timeoutSeconds} s` });
    }, timeoutSeconds * 1_000);

    let answered = false;
    request.on("response", (response) => {
      answered = true;
      const { statusCode: status = 0 } = response;
      text(response).then(
        (content) => done({ status, ...described(response, content) }),
        (error: Error) => done({ status, answeredBy: "nobody", detail: `the answer broke off: ${error.message}` }),
      );
    });
    // A server that refuses early may close what is still being sent on: its answer counts.
    request.on("error", (error: NodeJS.ErrnoException) => {
      if (!answered) done({ answeredBy: "nobody", detail: error.code ?? error.message });
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

function described({ headers }: IncomingMessage, content: string): Pick<Outcome, "answeredBy" | "detail"> {
  const start = content.slice(0, 80).replaceAll(/\s+/g, " ");
  try {
    const { detail, message, agent_id: id } = JSON.parse(content) as Record<string, unknown>;
    if (detail !== undefined) return { answeredBy: "service", detail: typeof detail === "string" ? detail : start };
    if (id !== undefined) return { answeredBy: "service", detail: "" };
    if (message === "Request Too Long") return { answeredBy: "Lambda's limit", detail: message };
    if (message !== undefined) return { answeredBy: "API Gateway", detail: start };
  } catch {
    // no JSON: none of the service's answers
  }
  const server = String(headers["server"] ?? "unknown");
  if (/cloudfront/i.test(server + content)) return { answeredBy: "CloudFront", detail: start };
  if ("apigw-requestid" in headers) return { answeredBy: "API Gateway", detail: start };
  return { answeredBy: server, detail: start };
}

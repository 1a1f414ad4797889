import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { printableLine } from "../printable.ts";

interface Request {
  method: "GET" | "POST";
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
  timeoutSeconds?: number;
}

/** Who responded to a request, and with what. */
export interface Outcome {
  /** Absent if no response arrived. */
  status?: number;
  /** Who sent the response: `service`, `API Gateway`, … or `none`. */
  respondedBy: string;
  /** Where the service's response came from, if its headers name a part of AWS. */
  via?: "API Gateway" | "CloudFront function";
  /** The `detail` of the service's error, the start of another response, or why there is none. Printable, one line. */
  detail: string;
}

/** Characters of a response that are printed. */
const maxDetail = 200;
const maxServer = 40;

const pieceBytes = 64 * 1024;

/** Sends a request on its own connection. Never rejects. */
export function respondentOf({ method, url, headers, body, timeoutSeconds = 60 }: Request): Promise<Outcome> {
  return new Promise((resolve) => {
    const request: ClientRequest = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, {
      method,
      agent: false,
      headers: { ...headers, "content-type": "application/json", "content-length": body.length },
    });
    const done = (outcome: Outcome): void => {
      clearTimeout(deadline);
      resolve(outcome);
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
    Readable.from(pieces(body)).pipe(request);
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

/** A create body of exactly `bytes` bytes, padded with spaces. */
export function createBody(bytes: number, templateId: string): Buffer {
  const [before, after] = [
    `{"name":"smoke test","template_id":"${templateId}","files":[{"filename":"test.bin","content_base64":"`,
    '"}]}',
  ];
  const base64 = Math.floor((bytes - before.length - after.length) / 4) * 4;
  const body = Buffer.alloc(bytes, " ");
  body.write(before, 0);
  body.fill("A", before.length, before.length + base64);
  body.write(after, before.length + base64);
  return body;
}

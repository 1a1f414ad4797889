import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { type HttpServer, httpServer } from "./http-server.ts";

/** A server with the part of S3 that the sandbox uses: reads, writes, conditional copies, lists, deletions, and signed forms. */
export interface ObjectServer extends HttpServer {
  objects: Map<string, Buffer>;
  /** Method and key of each request. A request that deletes several keys is a DELETE. */
  requests: string[];
  /** Set to answer everything with 503. */
  isDown: boolean;
  /** Called before the copy of an object. */
  onCopy: ((key: string) => void) | undefined;
}

const etagOf = (content: Buffer): string => `"${createHash("md5").update(content).digest("hex")}"`;

export async function objectServer(bucket: string): Promise<ObjectServer> {
  const objects = new Map<string, Buffer>();
  const server = await httpServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const key = decodeURIComponent(pathname.slice(`/${bucket}/`.length));
    const refuse = (status: number, code: string): void =>
      void response.writeHead(status, { "content-type": "application/xml" }).end(`<Error><Code>${code}</Code></Error>`);
    void buffer(request).then((body) => {
      state.requests.push(`${searchParams.has("delete") ? "DELETE" : request.method} ${key}`);
      if (state.isDown) return refuse(503, "SlowDown");
      if (searchParams.has("list-type")) {
        const keys = [...objects.keys()].filter((each) => each.startsWith(searchParams.get("prefix") ?? ""));
        const contents = keys.map((each) => `<Contents><Key>${each}</Key></Contents>`).join("");
        return void response.end(`<ListBucketResult>${contents}</ListBucketResult>`);
      }
      if (searchParams.has("delete")) {
        for (const [, each = ""] of body.toString().matchAll(/<Key>([^<]+)<\/Key>/g)) objects.delete(each);
        return void response.end("<DeleteResult></DeleteResult>");
      }
      if (request.method === "POST") {
        const { key: name = "", file, policy = "" } = formOf(request.headers["content-type"] ?? "", body);
        const problem = policyProblem(policy, name, file);
        if (problem !== undefined) return refuse(403, problem);
        objects.set(name, file);
        return void response.writeHead(204).end();
      }
      if (request.method === "PUT") {
        const source = request.headers["x-amz-copy-source"];
        if (typeof source !== "string") {
          objects.set(key, body);
          return void response.writeHead(200, { etag: etagOf(body) }).end();
        }
        const from = source.slice(bucket.length + 1);
        state.onCopy?.(from);
        const content = objects.get(from);
        if (!content) return refuse(404, "NoSuchKey");
        if (request.headers["x-amz-copy-source-if-match"] !== etagOf(content)) return refuse(412, "PreconditionFailed");
        objects.set(key, content);
        return void response.end(`<CopyObjectResult><ETag>${etagOf(content)}</ETag></CopyObjectResult>`);
      }
      const content = objects.get(key);
      if (!content) return refuse(404, "NoSuchKey");
      const isSigned = request.headers.authorization ?? searchParams.get("X-Amz-Signature");
      if (!isSigned) return refuse(403, "AccessDenied");
      response.writeHead(200, { etag: etagOf(content), "content-length": content.length }).end(content);
    });
  });
  const state: ObjectServer = { ...server, objects, requests: [], isDown: false, onCopy: undefined };
  return state;
}

/** The fields of a signed form, and its file. */
export function formOf(contentType: string, body: Buffer): { file: Buffer; key?: string; policy?: string } {
  const [, boundary = ""] = /boundary=(.+)$/.exec(contentType) ?? [];
  const fields: Record<string, string> = {};
  let at = 0;
  for (;;) {
    const start = body.indexOf("\r\n\r\n", at) + 4;
    const [, name = ""] = / name="([^"]+)"/.exec(body.subarray(at, start).toString()) ?? [];
    if (name === "file") return { ...fields, file: body.subarray(start, body.lastIndexOf(`\r\n--${boundary}--`)) };
    const end = body.indexOf(`\r\n--${boundary}`, start);
    fields[name] = body.subarray(start, end).toString();
    at = end + 2;
  }
}

function policyProblem(policy: string, key: string, file: Buffer): string | undefined {
  const { conditions, expiration } = JSON.parse(Buffer.from(policy, "base64").toString()) as {
    conditions: unknown[];
    expiration: string;
  };
  const lists = conditions.filter((each) => Array.isArray(each));
  const [, , prefix = ""] = lists.find(([operator]) => operator === "starts-with") ?? [];
  const [, , max = 0] = lists.find(([operator]) => operator === "content-length-range") ?? [];
  if (Date.parse(expiration) < Date.now() || !key.startsWith(String(prefix))) return "AccessDenied";
  return file.length > Number(max) ? "EntityTooLarge" : undefined;
}

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dynamoTable, isWatch, type Units } from "./dynamo-table.ts";

/** One request to AWS. `depth`: how many requests, itself included, had to be made one after another until its answer. */
export interface Call {
  name: string;
  depth: number;
}

/** What was asked of AWS between two looks. `trips`: round trips in sequence, the longest chain of calls. */
export interface Traffic {
  calls: Call[];
  trips: number;
  units: Units;
  putBytes: number;
}

export interface AwsEndpoint {
  url: string;
  /** Everything since the last call of this function. */
  take(): Traffic;
  close(): Promise<void>;
}

const executionArn = "arn:aws:states:eu-central-1:123456789012:execution:turns:1";

/**
 * DynamoDB, S3 and Step Functions on a port of this machine, as far as the service uses them: for counting calls and
 * for starting functions, not for timing AWS. Every answer takes `delay` milliseconds, so that calls made together
 * are seen to overlap.
 */
export async function awsEndpoint({ delay }: { delay: number }): Promise<AwsEndpoint> {
  const table = dynamoTable();
  const objects = new Map<string, Buffer>();
  let calls: Call[] = [];
  let answered = 0; // the greatest depth of the answered calls
  let putBytes = 0;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const depth = answered + 1;
    const body = await bytesOf(request);
    const [service = "", operation = ""] = String(request.headers["x-amz-target"] ?? "").split(".");
    let answer: { status: number; type: string; body: string | Buffer };
    if (service.startsWith("DynamoDB")) {
      const input = JSON.parse(body.toString()) as Record<string, unknown>;
      if (!isWatch(input)) calls.push({ name: operation, depth });
      answer = json(table.answer(operation, input));
    } else if (service === "AWSStepFunctions") {
      calls.push({ name: operation, depth });
      answer = json(operation === "ListExecutions" ? { executions: [] } : { executionArn, startDate: 1 });
    } else {
      answer = object(request, body, depth);
    }
    await new Promise((resolve) => setTimeout(resolve, delay));
    answered = Math.max(answered, depth);
    response.writeHead(answer.status, { "content-type": answer.type, "content-length": answer.body.length });
    response.end(answer.body);
  }

  function object(request: IncomingMessage, body: Buffer, depth: number) {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (request.method === "PUT") {
      calls.push({ name: "PutObject", depth });
      putBytes += body.length;
      objects.set(url.pathname, body);
      return xml("");
    }
    if (url.searchParams.has("list-type")) {
      calls.push({ name: "ListObjects", depth });
      const bucket = url.pathname.replace(/\/?$/, "/");
      const prefix = bucket + (url.searchParams.get("prefix") ?? "");
      const found = [...objects].filter(([key]) => key.startsWith(prefix));
      const contents = found.map(
        ([key, { length }]) => `<Contents><Key>${key.slice(bucket.length)}</Key><Size>${length}</Size></Contents>`,
      );
      return xml(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join("")}</ListBucketResult>`);
    }
    calls.push({ name: "GetObject", depth });
    const found = objects.get(url.pathname);
    if (!found) return xml("<Error><Code>NoSuchKey</Code><Message>There is no such object.</Message></Error>", 404);
    return { status: 200, type: "application/octet-stream", body: found };
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify({ __type: "ValidationException", message: String(error) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = {
        calls,
        trips: Math.max(0, ...calls.map((call) => call.depth)),
        units: { ...table.units },
        putBytes,
      };
      calls = [];
      answered = 0;
      putBytes = 0;
      Object.assign(table.units, { read: 0, write: 0, list: 0, running: 0 });
      return taken;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function json(value: object) {
  return { status: 200, type: "application/x-amz-json-1.0", body: JSON.stringify(value) };
}

function xml(text: string, status = 200) {
  return { status, type: "application/xml", body: `<?xml version="1.0"?>${text}` };
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

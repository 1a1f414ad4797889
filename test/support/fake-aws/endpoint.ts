import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer, text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { httpServer } from "../http-server.ts";
import { formOf } from "../object-server.ts";
import { fakeSecrets } from "./secrets.ts";
import { fakeTable } from "./table.ts";
import { performMeasured, type Units } from "./units.ts";

/** AWS at an address of this machine, for processes of their own: one table, object counts, executions, secrets. */
export interface FakeAwsEndpoint {
  endpoint: string;
  /** Number and total bytes of stored objects. */
  objects: { count: number; bytes: number };
  /** Keys of the objects that are kept. */
  objectKeys: () => string[];
  /** Requests since the start, in the order of their arrival. */
  calls: Call[];
  /** The greatest depth of an answered request. */
  depth: () => number;
  /** Names of the started executions. */
  started: string[];
  /** Input of the executions in progress, by name. One that is removed here has succeeded. */
  running: Map<string, string>;
  /** Operations that are refused now, as one without its permission. */
  refused: Set<string>;
  close(): Promise<void>;
}

type Input = Record<string, unknown>;

/** A request that the endpoint answered. A client's retry is a request of its own. */
export interface Call extends Units {
  /** `GetItem`, `StartExecution`, `GetSecretValue`; `PUT` and the like of an object; `Invoke` of a function. */
  operation: string;
  /** Length of the longest chain of requests that ends here, each sent after the response to the one before. Needs `delay`. */
  depth: number;
}

interface Options {
  /** Milliseconds before each response, so that parallel requests overlap. */
  delay?: number;
  /** Whether stored objects can be read. Default: their content is dropped. */
  keepsObjects?: boolean;
  /** Lambda functions by name. */
  functions?: Record<string, (event: unknown) => Promise<unknown>>;
}

/** `secrets`: values by id. */
export async function fakeAwsEndpoint(
  secrets: Record<string, string>,
  { keepsObjects = false, functions = {}, delay = 0 }: Options = {},
): Promise<FakeAwsEndpoint> {
  const contents = new Map<string, Buffer>();
  const table = fakeTable();
  const objects = { count: 0, bytes: 0 };
  const started: string[] = [];

  const running = new Map<string, string>();
  const calls: Call[] = [];
  const refused = new Set<string>();
  let answeredDepth = 0;

  const secretOperations = fakeSecrets(secrets);
  const otherOperations: Record<string, (input: Input) => unknown> = {
    StartExecution: ({ name, input }) => {
      if (!started.includes(String(name))) running.set(String(name), String(input));
      started.push(String(name));
      return { executionArn: `arn:${String(name)}`, startDate: Date.now() / 1000 };
    },
    ListExecutions: () => ({ executions: [...running.keys()].map((name) => ({ name, executionArn: `arn:${name}` })) }),
    StopExecution: ({ executionArn }) => {
      running.delete(nameIn(executionArn));
      return { stopDate: Date.now() / 1000 };
    },
    DescribeExecution: ({ executionArn }) => ({ status: running.has(nameIn(executionArn)) ? "RUNNING" : "SUCCEEDED" }),
  };

  async function respond(request: IncomingMessage, response: ServerResponse, call: Call): Promise<void> {
    if (delay > 0) await sleep(delay);
    answeredDepth = Math.max(answeredDepth, call.depth);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const copied = request.headers["x-amz-copy-source"];
    if (request.method === "PUT" && copied !== undefined) {
      const source = contents.get(`/${decodeURIComponent(String(copied))}`);
      response.setHeader("content-type", "application/xml");
      if (source) contents.set(pathname, source);
      else response.statusCode = 404;
      response.end(source ? "<CopyObjectResult/>" : "<Error><Code>NoSuchKey</Code></Error>");
      return;
    }
    if (request.method === "PUT") {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) {
        objects.bytes += chunk.length;
        if (keepsObjects) chunks.push(chunk);
      }
      objects.count++;
      if (keepsObjects) contents.set(pathname, Buffer.concat(chunks));
      response.setHeader("etag", '"0"').end();
      return;
    }
    if (request.method === "GET" && searchParams.has("list-type")) {
      const prefix = pathname + searchParams.get("prefix");
      const found = [...contents].filter(([path]) => path.startsWith(prefix));
      const entries = found.map(([path, { length }]) => {
        return `<Contents><Key>${path.slice(pathname.length)}</Key><Size>${length}</Size></Contents>`;
      });
      response.setHeader("content-type", "application/xml");
      response.end(`<ListBucketResult>${entries.join("")}</ListBucketResult>`);
      return;
    }
    if (request.method === "GET" && contents.has(pathname)) {
      response.end(contents.get(pathname));
      return;
    }
    if (request.method === "POST" && searchParams.has("delete")) {
      const keys = (await text(request)).matchAll(/<Key>([^<]*)<\/Key>/g);
      for (const [, key] of keys) contents.delete(`${pathname.replace(/\/$/, "")}/${key}`);
      response.setHeader("content-type", "application/xml");
      response.end("<DeleteResult/>");
      return;
    }
    if (request.method === "POST" && request.headers["content-type"]?.startsWith("multipart/form-data")) {
      const { key = "", file } = formOf(request.headers["content-type"], await buffer(request));
      contents.set(pathname + key, file);
      response.writeHead(204).end();
      return;
    }
    const [, invoked] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(pathname) ?? [];
    if (invoked !== undefined) {
      const answer = await functions[invoked]?.(JSON.parse(await text(request)));
      response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer));
      return;
    }
    if (request.url === "/credentials") {
      // As the agent of a container responds. Clients must renew them before the hour is over.
      const Expiration = new Date(Date.now() + 3_600_000).toISOString();
      response.end(JSON.stringify({ AccessKeyId: "ASIAEXAMPLE", SecretAccessKey: "s", Token: "t", Expiration }));
      return;
    }
    const { operation } = call;
    const input = JSON.parse((await buffer(request)).toString()) as Input;
    const unknown = operation === "DescribeExecution" && !started.includes(nameIn(input["executionArn"]));
    const { status, body } = refused.has(operation)
      ? { status: 400, body: { __type: "AccessDeniedException" } }
      : unknown
        ? { status: 400, body: { __type: "ExecutionDoesNotExist" } }
        : operation in otherOperations
          ? { status: 200, body: otherOperations[operation]?.(input) }
          : (secretOperations[operation]?.(input) ?? perform(operation, input, call));
    response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(body));
  }

  function perform(operation: string, input: Input, call: Call) {
    const { response, units } = performMeasured(table, operation, input);
    Object.assign(call, units);
    return response;
  }

  const server = await httpServer((request, response) => {
    const call = { operation: operationOf(request), depth: answeredDepth + 1, read: 0, write: 0 };
    calls.push(call);
    respond(request, response, call).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  const objectKeys = (): string[] => [...contents.keys()].map((path) => path.split("/").slice(2).join("/"));
  const depth = (): number => answeredDepth;
  return { endpoint: server.url, objects, objectKeys, calls, depth, started, running, refused, close: server.close };
}

function operationOf({ method, url = "", headers }: IncomingMessage): string {
  const target = headers["x-amz-target"];
  if (typeof target === "string") return target.split(".").at(-1) ?? "";
  return url.startsWith("/2015-03-31/functions/") ? "Invoke" : String(method);
}

/** The name of an execution. */
function nameIn(executionArn: unknown): string {
  return String(executionArn).split(":").at(-1) ?? "";
}

import { randomUUID } from "node:crypto";
import { text as textIn } from "node:stream/consumers";
import packageFile from "../../package.json" with { type: "json" };
import type { ApiHandler } from "../../src/http/handler.ts";
import { maxBodyBytes } from "../../src/http/server/read-body.ts";
import type { ValidationIssue } from "../../src/http/validation/issue.ts";
import { type OperationName, operations } from "../../src/manage/contract/operations/manage-operations.ts";
import type { ManageOperation } from "../../src/manage/contract/operations/operation.ts";
import { CliError } from "../cli.ts";
import type { OperatorPlatform } from "./operator-platform.ts";

/** The parameters of an operation by name, whether of its path, its query or its body. */
export type Given = Record<string, unknown>;

/** Names a parameter in an error, such as `--max-running`. */
export type Label = (field: string, place: string) => string;

/** Calls operations of the management API, wherever the service is. */
export interface Caller {
  /** Resolves with the body. Undefined: there is none. Rejects with a `RefusedCall` for an error. */
  call: <Body = unknown>(operation: OperationName, given?: Given, label?: Label) => Promise<Body>;
  /** As `call`, for a body that is not JSON. `content`: the body to send, if that is none either. */
  content: (
    operation: OperationName,
    given?: Given,
    content?: Uint8Array<ArrayBuffer>,
  ) => Promise<AsyncIterable<Uint8Array>>;
}

/** An error of the management API. `issues`: violations of the schema, if it is one of these. */
export class RefusedCall extends Error {
  readonly code: string;
  readonly operation: OperationName;
  readonly given: Given;
  readonly label: Label;
  readonly issues: ValidationIssue[];

  constructor(
    body: { code?: string; detail?: string | ValidationIssue[] },
    { operation, given, label }: Pick<RefusedCall, "operation" | "given" | "label">,
  ) {
    super(typeof body.detail === "string" ? body.detail : "");
    this.code = body.code ?? "";
    this.operation = operation;
    this.given = given;
    this.label = label;
    this.issues = typeof body.detail === "object" ? body.detail : [];
  }
}

/** Sends a request. `path`: writes the path, with each of its values through `encode`. */
export type Send = (request: {
  method: string;
  path: (encode: (text: string) => string) => string;
  query: URLSearchParams;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
}) => Promise<{ status: number; body: string | Uint8Array | AsyncIterable<Uint8Array> }>;

/** The words of options that are not those of the API: their short forms. */
const words: Record<string, string> = {
  organization_id: "org",
  input_text: "text",
  number: "case",
  definition: "file",
};

/** The option of a parameter: `--max-running` of `max_running`, `--agent` of `agent_id`. */
export function optionOf(field: string): string {
  return `--${(words[field] ?? field.replace(/_id(s?)$/, "$1")).replaceAll("_", "-")}`;
}

const labelOf: Label = (field, place) => (place === "path" && field.endsWith("_id") ? "ID" : optionOf(field));

export function callerOf(send: Send): Caller {
  async function answer(name: OperationName, given: Given, label: Label, content?: Uint8Array<ArrayBuffer>) {
    const { status, body } = await send(requestOf(operations[name], given, content));
    if (status < 300) return body;
    throw refusalIn(status, await textOf(body), { operation: name, given, label });
  }
  return {
    async call<Body>(name: OperationName, given: Given = {}, label = labelOf) {
      const text = await textOf(await answer(name, given, label));
      return (text === "" ? undefined : JSON.parse(text)) as Body;
    },
    async content(name, given = {}, content) {
      const body = await answer(name, given, labelOf, content);
      return typeof body === "string" || body instanceof Uint8Array ? single(Buffer.from(body)) : body;
    },
  };
}

/** The names of the parameters in the template of a path. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** The entries of all pages of a list. */
export async function allEntries<Entry>({ call }: Caller, operation: OperationName, given: Given): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let cursor: string | undefined; ;) {
    const { data, next } = await call<{ data: Entry[]; next: string | null }>(operation, { ...given, cursor });
    entries.push(...data);
    if (next === null) return entries;
    cursor = next;
  }
}

function requestOf(operation: ManageOperation, given: Given, content?: Uint8Array<ArrayBuffer>) {
  const { method, path, query: queries = {}, request, requestMedia, requestOptional } = operation;
  const inPath = new Set(pathNames(path));
  const values = Object.entries(given).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams();
  for (const [name, value] of values) {
    if (name in queries) for (const each of [value].flat()) query.append(name, String(each));
  }
  const fields = Object.fromEntries(values.filter(([name]) => !inPath.has(name) && !(name in queries)));
  const isSent = request !== undefined && !(requestOptional && Object.keys(fields).length === 0);
  const type = content ? Object.keys(requestMedia ?? {})[0] : isSent ? "application/json" : undefined;
  return {
    method,
    path: (encode: (text: string) => string) =>
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(String(given[name]))),
    query,
    headers: type === undefined ? {} : { "content-type": type },
    body: content ?? (isSent ? JSON.stringify(fields) : ""),
  };
}

function refusalIn(status: number, text: string, of: Pick<RefusedCall, "operation" | "given" | "label">): Error {
  try {
    const body = JSON.parse(text) as ConstructorParameters<typeof RefusedCall>[0];
    if (body.detail !== undefined) return new RefusedCall(body, of);
  } catch {
    // Not JSON: another server.
  }
  return new CliError(`the answer has the status ${status} and is none of the management API; check the address`);
}

async function textOf(body: string | Uint8Array | AsyncIterable<Uint8Array>): Promise<string> {
  if (typeof body === "string") return body;
  return body instanceof Uint8Array ? Buffer.from(body).toString() : textIn(body);
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Sends requests to the management API in this process, over the stores of a service. `stack`: its name, on AWS. */
export function inProcess(platform: OperatorPlatform, stack: string | undefined): Send {
  const failures = new Map<string, unknown>();
  let handler: Promise<ApiHandler> | undefined;
  let actor: ReturnType<OperatorPlatform["actor"]> | undefined;
  return async ({ path, body, ...request }) => {
    handler ??= handlerOf(platform, stack, failures, () => (actor ??= platform.actor()));
    const id = randomUUID();
    const parts = { id, ...request, path: path((text) => text), parameters: {} };
    const response = await (await handler)({ ...parts, parseBody: (parse) => parse(body) });
    const failure = failures.get(id);
    if (response.status >= 500 && failure !== undefined) throw failure;
    const { body: received } = response;
    return {
      status: response.status,
      body: typeof received === "function" ? bytesOf(received(new AbortController().signal)) : received,
    };
  };
}

/** `failures`: gets errors of handlers by request, which responses describe to strangers only. */
async function handlerOf(
  platform: OperatorPlatform,
  stack: string | undefined,
  failures: Map<string, unknown>,
  actor: OperatorPlatform["actor"],
): Promise<ApiHandler> {
  // Loaded by commands that call it: the validators take 50 ms.
  const [{ manageHandlers }, { manageRouter }] = await Promise.all([
    import("../../src/manage/handlers/manage-handlers.ts"),
    import("../../src/manage/router.ts"),
  ]);
  const service = {
    platform: stack === undefined ? "local" : "aws",
    version: packageFile.version,
    sign_in: stack === undefined ? "token" : "aws",
    stack: stack ?? null,
    bodyBytes: maxBodyBytes,
    serviceUrl: () => null,
    ...(platform.environments && { environments: platform.environments }),
  } as const;
  const handlers = Object.entries(manageHandlers({ ...platform, now: Date.now, service })).map(([name, handle]) => {
    const noting = async (call: { request: { id: string } }) => {
      try {
        return await (handle as (call: object) => ReturnType<typeof handle>)(call);
      } catch (error) {
        failures.set(call.request.id, error);
        throw error;
      }
    };
    return [name, noting];
  });
  const authenticate = async ({ method }: { method: string }) => {
    const who = method === "GET" ? "" : await actor();
    return { actor: who, name: who, role: "operator" } as const;
  };
  return manageRouter(Object.fromEntries(handlers) as ReturnType<typeof manageHandlers>, authenticate, platform);
}

async function* bytesOf(parts: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield typeof part === "string" ? Buffer.from(part) : part;
}

/** The value of an option that takes the base address of a service. */
export function serviceUrl(option: string, text: string): URL {
  const url = URL.parse(text);
  const isBase = url && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "" && url.hash === "";
  if (isBase) return url;
  throw new CliError(`${option} is not an address of the service; expected a URL such as http://127.0.0.1:8787`);
}

/** The environment variable with the operator token of `--service-url`. An argument would be visible to other users. */
export const tokenVariable = "AGENT_RUN_OPERATOR_TOKEN";

/** Sends requests to a running service. The token is sent without TLS to this machine only. */
export function overHttp(address: string, token = process.env[tokenVariable]): Send {
  const url = serviceUrl("--service-url", address);
  if (url.protocol === "http:" && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)) {
    throw new CliError(`--service-url is ${address}, which would send the operator token without TLS; use https`);
  }
  if (!token)
    throw new CliError(`--service-url needs an operator token (ao_…) in the environment variable ${tokenVariable}`);
  const base = url.href.replace(/\/$/, "");
  return async ({ method, path, query, headers, body }) => {
    const at = `${base}${path(encodeURIComponent)}${query.size > 0 ? `?${query.toString()}` : ""}`;
    const authorized = { authorization: `Bearer ${token}`, ...headers };
    const sent = body.length > 0 ? { body } : {};
    const response = await fetch(at, { method, headers: authorized, redirect: "manual", ...sent }).catch(
      (error: unknown) => {
        const { cause, message } = error as Error;
        throw new CliError(`cannot reach ${url.origin}: ${cause instanceof Error ? cause.message : message}`);
      },
    );
    return { status: response.status, body: response.body ?? "" };
  };
}

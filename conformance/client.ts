import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { asObject, describe, expectStatusBody, Mismatch, type StatusBody } from "./expect.ts";
import type { HttpResponse, TestedServer } from "./types.ts";

/** Why a base URL cannot be the address of a service, as the end of a sentence. Undefined: it can. */
export function checkBaseUrl(baseUrl: string): string | undefined {
  if (/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "") && !/\/v1\/*$/.test(baseUrl)) return undefined;
  return `is ${JSON.stringify(baseUrl)}; expected an http or https URL without /v1, such as http://127.0.0.1:8787`;
}

export interface TestCall {
  method?: string;
  /** Below the base URL, with `/v1`. */
  path: string;
  /** Headers with credentials. Default: the target's key as a Bearer credential. */
  auth?: Record<string, string>;
  /** Further headers. */
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged, as application/json. */
  raw?: string;
}

// Milliseconds. Long enough for a 14 MB body over a slow line.
const responseTimeout = 120_000;

/** Sends one request on its own connection. Rejects if no response arrives. */
export function sendCall(target: TestedServer, call: TestCall): Promise<HttpResponse> {
  const url = new URL(target.baseUrl.replace(/\/+$/, "") + call.path);
  const payload = call.raw ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const bytes = payload === undefined ? undefined : Buffer.from(payload);
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, {
      method: call.method ?? "GET",
      agent: false,
      timeout: responseTimeout,
      headers: {
        accept: "application/json",
        ...(bytes && { "content-type": "application/json", "content-length": bytes.length }),
        ...(call.auth ?? bearer(target.apiKey)),
        ...call.headers,
      },
    });
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers["content-type"] ?? "",
          headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
          text,
          json: parse(text),
          milliseconds: performance.now() - started,
        });
      });
    });
    request.on("timeout", () => request.destroy(new Error(`no response within ${responseTimeout / 1000} s`)));
    // A server that rejects early may reset the connection. A response that arrived before has already resolved.
    request.on("error", reject);
    request.end(bytes);
  });
}

export function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

/** `POST /v1/agents` with a valid `name` and `template_id`, overridden by `fields`. Undefined fields are left out. */
export function create(target: TestedServer, fields: Record<string, unknown> = {}): Promise<HttpResponse> {
  const body = { name: "conformance", template_id: target.templateId, ...fields };
  return sendCall(target, { method: "POST", path: "/v1/agents", body });
}

/** Creates a run and returns its id. Throws a `Mismatch` if it is not created. */
export async function created(target: TestedServer, fields: Record<string, unknown> = {}): Promise<string> {
  const response = await create(target, fields);
  const id = asObject(response.json)["agent_id"];
  if (response.status !== 201 || typeof id !== "string") throw new Mismatch("201 with an agent_id", describe(response));
  return id;
}

export function read(target: TestedServer, id: string, auth?: Record<string, string>): Promise<HttpResponse> {
  return sendCall(target, { path: `/v1/agents/${id}`, ...(auth && { auth }) });
}

/**
 * Polls a run until it is no longer `running`. Every response must be a status body of this run, and the transcript
 * may only grow at its end. Retries after 502 and 503, as the specification asks of clients.
 */
export async function pollToEnd(target: TestedServer, id: string): Promise<StatusBody> {
  const deadline = Date.now() + target.timeoutSeconds * 1000;
  let before: StatusBody | undefined;
  // 0.1 s, doubled up to the 3 s that the specification asks of clients, so that short runs end early.
  for (let wait = 100; ; wait = Math.min(wait * 2, 3000)) {
    const response = await read(target, id);
    if (response.status !== 502 && response.status !== 503) {
      const now = expectStatusBody(response, id);
      const kept = JSON.stringify(now.transcript.slice(0, before?.transcript.length ?? 0));
      if (before && kept !== JSON.stringify(before.transcript)) {
        throw new Mismatch(`a transcript that starts with ${JSON.stringify(before.transcript)}`, describe(response));
      }
      if (now.loop_status !== "running") return now;
      before = now;
    }
    if (Date.now() > deadline) {
      throw new Mismatch(`a run that ends within ${target.timeoutSeconds} s (--timeout)`, describe(response));
    }
    await sleep(wait);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

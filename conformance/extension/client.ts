import { setTimeout as sleep } from "node:timers/promises";
import { type Call, send } from "../client.ts";
import { asObject, describe, expect, Mismatch, uuidShape } from "../expect.ts";
import type { HttpResponse, Target } from "../types.ts";
import { documentProblems } from "./document.ts";

/** A run of the extension API, with the fields that the cases look at. */
export interface Run extends Record<string, unknown> {
  id: string;
  status: string;
  state: string;
  turn: number;
  sequence: number;
}

/**
 * Sends a request below `/ext/v1`. `at`: method and path, such as `GET /agent`. Throws a `Mismatch` for a response that the
 * server's own document does not allow.
 */
export async function ext(target: Target, at: string, call: Omit<Call, "method" | "path"> = {}): Promise<HttpResponse> {
  const [method = "GET", relative = ""] = at.split(" ");
  const path = `/ext/v1${relative}`;
  const response = await send(target, { method, path, ...call });
  const problems = await documentProblems(target, { method, path }, response);
  const received = `${describe(response)} (${problems.join("; ")})`;
  expect(problems.length === 0, "a response as /ext/v1/openapi.json describes it", received);
  return response;
}

/** The JSON object of a response with this status. Throws a `Mismatch` for any other response. */
export function bodyOf(response: HttpResponse, status: number): Record<string, unknown> {
  const json = /^application\/json\s*(;|$)/i.test(response.contentType) && response.json !== undefined;
  expect(response.status === status && json, `${status} application/json`, describe(response));
  return asObject(response.json);
}

/** The run of a response with this status. */
export function runOf(response: HttpResponse, status = 200): Run {
  const { id, status: runStatus, state, turn, sequence, ...rest } = bodyOf(response, status);
  const fits =
    typeof id === "string" &&
    uuidShape.test(id) &&
    typeof runStatus === "string" &&
    typeof state === "string" &&
    typeof turn === "number" &&
    typeof sequence === "number";
  if (!fits) throw new Mismatch("a run with id, status, state, turn and sequence", describe(response));
  return { ...rest, id, status: runStatus, state, turn, sequence };
}

/** The `data` of a page, with its cursor. */
export function pageOf(response: HttpResponse): { data: Record<string, unknown>[]; next: string | null } {
  const { data, next } = bodyOf(response, 200);
  const fits = Array.isArray(data) && (next === null || typeof next === "string");
  if (!fits) throw new Mismatch('{"data": […], "next": a cursor or null}', describe(response));
  return { data: data.map(asObject), next };
}

/** Expects an error with this status and code, and a sentence as its detail. */
export function expectCode(response: HttpResponse, status: number, ...codes: string[]): void {
  const { detail, code } = bodyOf(response, status);
  const fits =
    typeof code === "string" && codes.includes(code) && (typeof detail === "string" || Array.isArray(detail));
  expect(fits, `${status} {"detail", "code": ${codes.map((each) => `"${each}"`).join(" or ")}}`, describe(response));
}

/** Creates a run. Without fields, it has no input: it is idle. */
export async function newRun(
  target: Target,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Run> {
  return runOf(await ext(target, "POST /runs", { body: { name: "conformance", ...fields }, headers }), 201);
}

/** Polls a run until its status is not `running`. */
export async function ended(target: Target, id: string): Promise<Run> {
  const deadline = Date.now() + target.timeoutSeconds * 1_000;
  for (let wait = 100; ; wait = Math.min(wait * 2, 3_000)) {
    const response = await ext(target, `GET /runs/${id}`);
    if (response.status !== 502 && response.status !== 503) {
      const run = runOf(response);
      if (run.status !== "running") return run;
    }
    if (Date.now() > deadline) {
      throw new Mismatch(`a run that ends within ${target.timeoutSeconds} s (--timeout)`, describe(response));
    }
    await sleep(wait);
  }
}

/** All entries of a list, page by page. */
export async function listed(target: Target, path: string, cursor: string): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = [];
  for (let at = path; ;) {
    const { data, next } = pageOf(await ext(target, `GET ${at}`));
    all.push(...data);
    if (next === null) return all;
    at = `${path}${path.includes("?") ? "&" : "?"}${cursor}=${encodeURIComponent(next)}`;
  }
}

/** The answer to a download. */
interface Download {
  /** Another server sent it. */
  redirected: boolean;
  status: number;
  headers: Headers;
  bytes: Uint8Array;
}

/** Downloads a file of a run. A redirect is followed without the key, which is not for its target. */
export async function download(
  target: Target,
  id: string,
  name: string,
  headers: Record<string, string> = {},
): Promise<Download> {
  const url = `${target.baseUrl.replace(/\/+$/, "")}/ext/v1/runs/${id}/files/${encodeURIComponent(name)}`;
  const authorized = { ...headers, authorization: `Bearer ${target.apiKey}` };
  const first = await fetch(url, { headers: authorized, redirect: "manual" });
  const location = first.headers.get("location");
  const redirected = first.status === 307 && location !== null;
  const response = redirected ? await fetch(new URL(location, url), { headers }) : first;
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { redirected, status: response.status, headers: response.headers, bytes };
}

import { hash } from "node:crypto";
import type { extRunHandlers } from "../ext/handlers/runs.ts";
import type { InputLimits } from "../runs/control/control-run.ts";
import type { AuthenticationDeps, Principal } from "../accounts/authenticate.ts";
import type { CredentialCheck } from "../http/credential-check.ts";
import type { ApiRequest, ApiResponse } from "../http/handler.ts";
import type { OpenCounts } from "../http/open-counts.ts";
import { WithHeaders } from "../http/rest/call.ts";
import type { CreateRunDeps } from "../runs/begin/create-run.ts";
import type { RunDescriber } from "../runs/read/describe-runs.ts";
import type { Named } from "./tool-names.ts";

/** What the MCP endpoint needs. */
export interface McpDeps extends InputLimits, CreateRunDeps, AuthenticationDeps {
  /** Of the service. */
  version: string;
  /** Seconds that `wait_for_run` waits at most: clients and gateways end longer requests. */
  maxWaitSeconds: number;
  /** Waits and event streams that are open. With too many, `wait_for_run` returns at once. Absent: not limited. */
  waits?: OpenCounts;
  /** Poll interval of waits for a run, in milliseconds. */
  pollInterval: number;
  /** Bytes of files that every request can carry. */
  inlineBytes: number;
  /** Days for which a run is kept. Absent: until it is deleted. */
  retentionDays?: number;
}

/** One request: who sends it, and when its client has left. */
export interface McpCall extends McpDeps {
  describer: RunDescriber;
  /** Those of the extension API. */
  handlers: ReturnType<typeof extRunHandlers>;
  principal: Principal;
  credential: CredentialCheck<Principal>;
  request: ApiRequest;
  /** Address of the service, as the client wrote it: `http://127.0.0.1:8787`. */
  origin: string;
  signal: AbortSignal;
  named: Named;
  /** Whether the client gets parts of a response as they are made. */
  streams: boolean;
}

/** A call of an operation of the extension API. `key`: makes it safe to repeat. */
export function operationCall<Path, Body>(
  { request, principal, credential: { caller } }: McpCall,
  { path, body, key }: { path: Path; body?: Body; key?: string | undefined },
) {
  const headers = key === undefined ? {} : { "idempotency-key": headerOf(key) };
  return { request: { ...request, headers }, principal, caller, path, query: { wait: 0 }, body: body as Body };
}

/** An idempotency key that fits a header: models write any text. */
function headerOf(key: string): string {
  return /^[\x21-\x7e]+$/.test(key) ? key : hash("sha256", key);
}

/** The JSON of an answer. A call without conditions has some. */
export function answerJson<Json>(answer: WithHeaders<Json> | ApiResponse): Json {
  if (answer instanceof WithHeaders) return answer.json;
  throw new Error(`the answer has the status ${answer.status} and no JSON`);
}

import type { InputLimits } from "../runs/control-run.ts";
import type { AuthenticationDeps, Principal } from "../accounts/authenticate.ts";
import type { CredentialCheck } from "../http/credential-check.ts";
import type { OpenCounts } from "../http/open-counts.ts";
import type { CreateRunDeps } from "../runs/create-run.ts";
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
  principal: Principal;
  credential: CredentialCheck<Principal>;
  requestId: string;
  /** Address of the service, as the client wrote it: `http://127.0.0.1:8787`. */
  origin: string;
  signal: AbortSignal;
  named: Named;
  /** Whether the client gets parts of a response as they are made. */
  streams: boolean;
}

import type { Secrets } from "../agent/secret.ts";
import type { AddressScope } from "../net/safe-fetch.ts";
import type { ReadDocument } from "../documents/read-document.ts";
import type { Stores, Workflow } from "../runs/ports.ts";
import type { SandboxPerAgent } from "../sandbox/types.ts";

/**
 * Everything that the service needs from its environment. The folders `local` and `aws` implement it, with one file of
 * the same name for each part: accounts, runs, leases, workspace, workflow, secrets, sandbox.
 */
export interface Platform extends Stores, Secrets, SandboxPerAgent {
  workflow: Workflow;
  /** Reads documents in another process. Absent: documents cannot be read. */
  readDocument?: ReadDocument;
  /** Addresses that tools may connect to. Default: `public`. */
  addresses?: AddressScope;
  close: () => void;
}

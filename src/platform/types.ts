import type { AddressScope } from "../net/safe-fetch.ts";
import type { ReadDocument } from "../documents/read-document.ts";
import type { Stores, Workflow } from "../runs/ports.ts";
import type { Sandbox } from "../sandbox/types.ts";

/** Store of the credentials that configurations refer to by name. No error contains a value. */
export interface Secrets {
  /** Whether the secret can exist. Makes no network call. */
  secretExists: (secret: string) => boolean;
  /**
   * The value of a secret.
   * - Undefined: it does not exist or must not be read.
   * - Rejects when the look-up failed; a retry can help.
   */
  secretOf: (secret: string) => Promise<string | undefined>;
  /** Why the service cannot use the secret, as a sentence. Undefined: it can. For operators' commands. */
  secretProblem: (secret: string) => Promise<string | undefined>;
}

/**
 * Everything that the service needs from its environment. The folders `local` and `aws` implement it, with one file of
 * the same name for each part: accounts, runs, leases, workspace, workflow, secrets, sandbox.
 */
export interface Platform extends Stores, Secrets {
  workflow: Workflow;
  /** Runs the programs of one agent. Absent: no sandbox is configured. */
  sandboxOf?: (agentId: string) => Sandbox;
  /** Reads documents in another process. Absent: documents cannot be read. */
  readDocument?: ReadDocument;
  /** Addresses that tools may connect to. Default: `public`. */
  addresses?: AddressScope;
  close: () => void;
}

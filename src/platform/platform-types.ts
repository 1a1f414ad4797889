import type { Secrets } from "../agent/secret.ts";
import type { AddressScope } from "../net/addresses.ts";
import type { Companions } from "../runs/control/control-run.ts";
import type { Stores, Workflow } from "../runs/ports.ts";
import type { LiveText } from "../runs/read/live-text.ts";
import type { SandboxPerAgent } from "../sandbox/sandbox-types.ts";
import type { Trials } from "../trials/ports.ts";

/**
 * Everything that the service needs from its environment. The folders `local` and `aws` implement it, with one file of
 * the same name for each part: accounts, runs, leases, workspace, workflow, secrets, sandbox.
 */
export interface Platform extends Stores, Secrets, SandboxPerAgent {
  workflow: Workflow;
  trials: Trials;
  companions: Companions;
  /** The answers that models are writing. Absent: turns run in the same process, which has them in memory. */
  texts?: LiveText;
  /** Addresses that `web_fetch` and webhooks may connect to where private ones are accepted. Default: `public`. */
  addresses?: AddressScope;
  /** Days after which all runs are deleted. Absent: the `keepDays` of each agent decide. */
  retentionDays?: number;
  /** Addresses that MCP servers may have. Default: `addresses`. */
  mcpAddresses?: AddressScope;
  close: () => void;
}

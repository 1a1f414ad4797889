import { userInfo } from "node:os";
import type { Actor } from "../../src/accounts/audit.ts";
import type { Platform } from "../../src/platform/platform-types.ts";
import type { KnownEnvironment } from "../../src/sandbox/linux/linux-types.ts";

/** A platform as an operator uses it. */
export interface OperatorPlatform extends Platform {
  /** Who the operator is, for the audit. */
  actor: () => Promise<Actor>;
  /** The Linux environments of a stack. Absent: they cannot be listed. */
  environments?: () => Promise<KnownEnvironment[]>;
  /** Whether runs proceed now. False: no server uses the data directory. */
  isServed: () => boolean;
  /** Throws for a stack, whose console has no tokens. */
  requireTokens: () => void;
  /** The base address of the running service, or `given`. Throws if none is known, and for a stack. */
  consoleAddress: (given: string | undefined) => string;
}

/** The name of the user of the operating system. */
export function systemUser(): Actor {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`; // a container may have no name for its user
  }
}

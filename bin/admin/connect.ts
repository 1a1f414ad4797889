import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Actor } from "../../src/accounts/audit.ts";
import { commandLine } from "../../src/command-line.ts";
import { isLocked } from "../../src/platform/local/data-dir-lock.ts";
import { openLocalPlatform } from "../../src/platform/local/index.ts";
import { findServerAddress } from "../../src/platform/local/server-address.ts";
import { externalWorkflow } from "../../src/platform/local/workflow.ts";
import type { Platform } from "../../src/platform/types.ts";
import type { KnownEnvironment } from "../../src/sandbox/linux/types.ts";
import { CliError } from "../cli.ts";

/** A data directory on this machine (default: `.data`), or a stack in the AWS account of the operator's credentials. */
export interface Target {
  dataDir?: string | undefined;
  stack?: string | undefined;
}

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

/** Opens the platform of a service. `needsData`: a data directory without data is an error. */
export async function connect(
  { dataDir, stack }: Target,
  { needsData }: { needsData: boolean },
): Promise<OperatorPlatform> {
  if (stack === undefined) return openDataDir(dataDir ?? ".data", needsData);
  if (dataDir !== undefined) {
    throw new CliError("--stack and --data-dir cannot be used together; a service runs on AWS or on this machine");
  }
  const { openStack } = await import("./stack.ts"); // loading the AWS SDK takes 0.3 s
  return openStack(stack);
}

function openDataDir(dataDir: string, needsData: boolean): OperatorPlatform {
  // Opening creates the directory: a mistyped name would look like a service without data.
  if (needsData && !existsSync(join(dataDir, "runs.sqlite"))) {
    throw new CliError(
      `no service data in ${dataDir}; pass its directory with --data-dir, or run ${commandLine("start")} first`,
    );
  }
  try {
    return {
      ...openLocalPlatform({ dataDir }),
      workflow: externalWorkflow,
      actor: async () => systemUser(),
      isServed: () => isLocked(dataDir),
      requireTokens() {},
      consoleAddress: (given) => given ?? addressOn(dataDir),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(`cannot open the data directory ${dataDir}: ${reason}`);
  }
}

function addressOn(dataDir: string): string {
  const address = findServerAddress(dataDir);
  if (address !== undefined) return address;
  throw new CliError(
    `no service runs on the data directory ${dataDir}; start it (${commandLine("start")}), or pass its address with --base-url`,
  );
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { commandLine } from "../../src/command-line.ts";
import { isLocked } from "../../src/platform/local/process/data-dir-lock.ts";
import { databaseFile, openLocalPlatform } from "../../src/platform/local/open-platform.ts";
import { findServerAddress } from "../../src/platform/local/process/server-address.ts";
import { externalWorkflow } from "../../src/platform/local/workflow.ts";
import { CliError } from "../cli.ts";
import { type OperatorPlatform, systemUser } from "./operator-platform.ts";

/** A data directory on this machine (default: `.data`), or a stack in the AWS account of the operator's credentials. */
export interface OperatedService {
  dataDir?: string | undefined;
  stack?: string | undefined;
}

/** Opens the platform of a service. `needsData`: a data directory without data is an error. */
export async function connect(
  { dataDir, stack }: OperatedService,
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
  if (needsData && !existsSync(join(dataDir, databaseFile))) {
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

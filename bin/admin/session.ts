import { CliError } from "../cli.ts";
import { callerOf, type Caller, inProcess, overHttp } from "./call.ts";
import { connect, type OperatedService } from "./connect.ts";
import type { OperatorPlatform } from "./operator-platform.ts";

/** A service that commands operate. */
export interface Session extends Caller {
  /** Its stores, for what the API does not do. Throws for a service that is reached by its address. */
  platform: () => OperatorPlatform;
  /** Whether its stores are open here. */
  hasStores: boolean;
  /** Whether runs proceed now. */
  isServed: () => boolean;
  /** Throws for a stack, whose console has no tokens. */
  requireTokens: () => void;
  /** The base address of the running service, or `given`. Throws if none is known, and for a stack. */
  consoleAddress: (given: string | undefined) => string;
  close: () => void;
}

/** Opens a service: its data directory, its stack, or its address. */
export async function openAdminSession(
  { url, ...target }: OperatedService & { url?: string | undefined },
  needs: { needsData: boolean },
): Promise<Session> {
  if (url === undefined) {
    const platform = await connect(target, needs);
    const { isServed, requireTokens, consoleAddress, close } = platform;
    const caller = callerOf(inProcess(platform, target.stack));
    return { ...caller, platform: () => platform, hasStores: true, isServed, requireTokens, consoleAddress, close };
  }
  if (target.stack !== undefined || target.dataDir !== undefined) {
    throw new CliError("--service-url cannot be used together with --stack or --data-dir; it names another service");
  }
  return {
    ...callerOf(overHttp(url)),
    platform: noStores,
    hasStores: false,
    isServed: () => true,
    requireTokens() {},
    consoleAddress: (given) => given ?? url,
    close() {},
  };
}

function noStores(): never {
  throw new CliError(
    "this command reads the data itself and takes no --service-url; run it where the service runs, or with --stack",
  );
}

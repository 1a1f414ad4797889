import packageFile from "../../package.json" with { type: "json" };
import { traceSettings } from "../../src/env.ts";
import { type LocalPlatform, openLocalPlatform } from "../../src/platform/local/open-platform.ts";
import { type SecretAllowList, secretAllowList } from "../../src/platform/local/process/allowed-secrets.ts";
import { lockDataDir } from "../../src/platform/local/process/data-dir-lock.ts";
import { beginServing, type Serving } from "../../src/platform/local/process/serving.ts";
import type { LinuxHere } from "../../src/platform/local/linux.ts";
import type { Workflow } from "../../src/runs/ports.ts";
import { type Runner, startRunner } from "../../src/platform/local/workflow.ts";
import { type LiveOutput, liveOutput } from "../../src/runs/read/live-output.ts";
import type { LiveText } from "../../src/runs/read/live-text.ts";
import { liveText } from "../../src/platform/local/live-text.ts";
import type { LocalOptions } from "./options.ts";

/** What requests need of the data directory. */
export interface OpenStores {
  platform: LocalPlatform;
  /** What use cases need. */
  deps: LocalPlatform & { workflow: Workflow; now: () => number; maxTranscriptBytes: number };
  live: LiveOutput;
  texts: LiveText;
}

/** The open data directory: its stores, and the runner of its turns. */
export interface DataDir extends OpenStores {
  runner: Runner;
  allowList: SecretAllowList;
  /** What programs run in. Resolves when that has been tried. Absent with `--json`. */
  linux?: Promise<LinuxHere>;
  /** Stops the turns in progress, which resume at the next start, and sends what is left of their traces. */
  stopTurns(): Promise<void>;
}

/**
 * Opens the data directory for this process alone. Rejects with an Error for people if it cannot be used, or another server
 * uses it. No turn runs before the first `resumeRuns`.
 */
export async function openDataDir(options: LocalOptions): Promise<DataDir> {
  const { dataDir, fileVersions, fileLimits, defaultProgramSeconds } = options;
  const allowList = secretAllowList(options.allowedSecrets, dataDir);
  const { platform, serving } = openPlatform(options, allowList);
  // Tried while the rest starts, for the first screen. Otherwise, the first program tries it.
  const linux = options.json ? undefined : platform.programs.describe();
  linux?.catch(() => {});
  const traces = traceSettings(process.env);
  const telemetry = traces && (await (await import("../../src/observability/tracing.ts")).openTelemetry(traces));
  const live = liveOutput();
  const texts = liveText();
  const ofTurns = { fileVersions, fileLimits, defaultProgramSeconds, release: packageFile.version };
  const runner = startRunner({ ...platform, ...ofTurns, telemetry, live, texts, now: Date.now }, serving);
  return {
    platform,
    runner,
    deps: depsOf(platform, runner, options),
    allowList,
    live,
    texts,
    ...(linux && { linux }),
    async stopTurns() {
      await runner.close();
      serving.end();
      await telemetry?.flush();
    },
  };
}

/**
 * The stores of a data directory that this process has opened, for another of its threads. `workflow`: begins turns where they run.
 */
export function openStores(options: LocalOptions, workflow: Workflow): OpenStores {
  const { dataDir, allowedSecrets, allowedAddresses } = options;
  const allowList = secretAllowList(allowedSecrets, dataDir);
  const platform = openLocalPlatform({ dataDir, environment: process.env, allowList, allowedAddresses });
  return { platform, deps: depsOf(platform, workflow, options), live: liveOutput(), texts: liveText() };
}

function depsOf(platform: LocalPlatform, workflow: Workflow, { maxTranscriptBytes }: LocalOptions): OpenStores["deps"] {
  return { ...platform, workflow, now: Date.now, maxTranscriptBytes };
}

function openPlatform(
  { dataDir, sandbox, programMemoryBytes, fileLimits, allowedAddresses }: LocalOptions,
  allowList: SecretAllowList,
): { platform: LocalPlatform; serving: Serving } {
  let platform: LocalPlatform | undefined;
  try {
    platform = openLocalPlatform({
      dataDir,
      environment: process.env,
      allowList,
      allowedAddresses,
      sandbox,
      programLimits: { memoryBytes: programMemoryBytes, files: fileLimits.files },
    });
    if (lockDataDir(dataDir)) return { platform, serving: beginServing(dataDir) };
  } catch (error) {
    platform?.close();
    throw unusable(dataDir, error);
  }
  platform.close();
  throw new Error(
    `the data directory ${dataDir} is in use by another server; stop that server, or pass another --data-dir`,
  );
}

/** The Error for people about a data directory that cannot be used. */
export function unusable(dataDir: string, cause: unknown): Error {
  return new Error(`cannot use the data directory ${dataDir}: ${(cause as Error).message}`, { cause });
}

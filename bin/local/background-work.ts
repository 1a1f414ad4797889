import { existsSync } from "node:fs";
import { join } from "node:path";
import { log } from "../../src/log.ts";
import { databaseFile } from "../../src/platform/local/open-platform.ts";
import { startSender } from "../../src/platform/local/process/sender.ts";
import { expireAnswers } from "../../src/runs/control/answer-call.ts";
import { resumeOrganizationDeletions } from "../../src/runs/erase/delete-organization.ts";
import { deleteExpiredRuns, resumeErasures } from "../../src/runs/erase/retention.ts";
import type { DataDir } from "./data-dir.ts";

/** Interval at which the database is checked for writes of other processes. */
const watchMilliseconds = 250;
/** Time between attempts to start waiting runs: at midnight UTC, the dollars of a quota are free again. */
const resumeMilliseconds = 60_000;
/** Time between searches for calls that were not answered in time: one query of an index. */
const expireMilliseconds = 1_000;
/** Time between removals of expired runs and uploads. */
const cleanMilliseconds = 3_600_000;

/** What the service does without a request. */
export interface BackgroundWork {
  /** Rejects when the data directory has been removed. */
  fatal: Promise<never>;
  /** Starts nothing more, and waits for deliveries that are being sent. Turns in progress are the runner's. */
  stop(): Promise<void>;
}

/**
 * Continues the turns and deletions of the last start, and sends deliveries. From then on, it watches what other processes
 * write, and removes what has expired. `startedAt`: when this process started, in milliseconds; files that are older and
 * belong to no run are removed.
 */
export async function startBackgroundWork(
  { platform, runner, deps }: DataDir,
  { dataDir, startedAt }: { dataDir: string; startedAt: number },
): Promise<BackgroundWork> {
  const resumeRuns = (): void => {
    runner.resumeRuns().catch((error: unknown) => {
      log("error", "reading the changes of another process failed; retrying", { error });
      setTimeout(resumeRuns, watchMilliseconds).unref();
    });
  };
  const continueDeletions = (): void => {
    resumeErasures(deps)
      .then(() => resumeOrganizationDeletions(deps))
      .catch((error: unknown) => log("error", "deletions could not be continued", { error }));
  };
  const deleteExpired = (): void => {
    deleteExpiredRuns(deps).catch((error: unknown) => log("error", "expired runs could not be deleted", { error }));
  };
  const removeExpiredUploads = (): void => {
    platform.pendingUploads
      .removeExpired(Date.now())
      .catch((error: unknown) => log("error", "expired uploads could not be removed", { error }));
  };
  const expire = (): void => {
    expireAnswers(deps).catch((error: unknown) => log("error", "calls that expired could not be read", { error }));
  };
  const checkForChanges = platform.database.onOutsideWrite(resumeRuns);
  await runner.resumeRuns();
  const sender = startSender(deps);
  const fatal = Promise.withResolvers<never>();
  const watch = (): void => {
    if (existsSync(join(dataDir, databaseFile))) checkForChanges();
    else fatal.reject(new Error(`the data directory ${dataDir} was removed while the service was running`));
  };
  platform
    .removeOrphanedFiles(startedAt)
    .catch((error: unknown) => log("error", "orphaned files could not be removed", { error }));
  removeExpiredUploads();
  continueDeletions();
  deleteExpired();
  expire();
  const timers = [
    setInterval(watch, watchMilliseconds),
    setInterval(resumeRuns, resumeMilliseconds),
    setInterval(continueDeletions, resumeMilliseconds),
    setInterval(expire, expireMilliseconds),
    setInterval(deleteExpired, cleanMilliseconds),
    setInterval(removeExpiredUploads, cleanMilliseconds),
  ];

  return {
    fatal: fatal.promise,
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await sender.close();
    },
  };
}

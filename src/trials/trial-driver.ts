import { log } from "../log.ts";
import type { DriveDeps } from "./drive-trial.ts";

/** Moves trials on for one process: calls for a trial that come while it is moved on become one. Never rejects. */
export interface TrialDriver {
  drive(trialId: string): Promise<void>;
  /** Moves all trials on that are in progress, in the background. */
  driveAll(): void;
  /** Resolves when no trial is being moved on. */
  settled(): Promise<void>;
}

export function trialDriver(deps: DriveDeps): TrialDriver {
  const driving = new Map<string, { again: boolean; ended: Promise<void> }>();
  let listing: Promise<void> = Promise.resolve();

  async function driveUntilQuiet(trialId: string, state: { again: boolean }): Promise<void> {
    do {
      state.again = false;
      const { driveTrial } = await import("./drive-trial.ts"); // a service without trials does without it
      await driveTrial(deps, trialId).catch((error: unknown) => {
        log("error", "the trial could not be moved on; it is tried again", { trialId, error });
      });
    } while (state.again);
    driving.delete(trialId);
  }

  const driver: TrialDriver = {
    drive(trialId) {
      const current = driving.get(trialId);
      if (current) {
        current.again = true;
        return current.ended;
      }
      const state = { again: false, ended: Promise.resolve() };
      driving.set(trialId, state);
      state.ended = driveUntilQuiet(trialId, state);
      return state.ended;
    },
    driveAll() {
      listing = deps.trials.listActive().then(
        (active) => active.forEach((trialId) => void driver.drive(trialId)),
        (error: unknown) => log("error", "trials in progress could not be listed; this is tried again", { error }),
      );
    },
    async settled() {
      await listing;
      await Promise.all([...driving.values()].map(({ ended }) => ended));
    },
  };
  return driver;
}

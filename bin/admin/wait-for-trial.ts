import { setTimeout as sleep } from "node:timers/promises";
import { commandLine } from "../../src/command-line.ts";
import { describeTrial, inDollars } from "../../src/trials/describe-trial.ts";
import { measuredEstimate } from "../../src/trials/estimate.ts";
import { findTrial } from "../../src/trials/find-trial.ts";
import { summarize } from "../../src/trials/summary.ts";
import type { Trial, TrialCase } from "../../src/trials/types.ts";
import { CliError, type FileIo } from "../cli.ts";
import { interrupted, onInterrupt } from "./interruption.ts";
import type { OperatorPlatform } from "./operator-platform.ts";

const pollMilliseconds = 1_000;

/**
 * Waits until a trial has ended. Shows its progress on one line of the terminal. Rejects with a CliError after Ctrl-C, and when
 * the service has stopped: the trial proceeds when the service runs.
 */
export async function waitForTrial(
  { trials, isServed }: Pick<OperatorPlatform, "trials" | "isServed">,
  id: string,
  io: FileIo,
): Promise<{ trial: Trial; cases: TrialCase[] }> {
  using interruption = onInterrupt();
  const { signal } = interruption;
  try {
    for (;;) {
      const trial = await findTrial(trials, id);
      const cases = await trials.listCases(id);
      if (trial.status === "finished") return { trial, cases };
      io.show?.(progressOf(trial, cases));
      if (!isServed()) throw new CliError(notServed(id));
      await sleep(pollMilliseconds, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CliError(
      `stopped waiting; trial ${id} proceeds (see trial show ${id} and trial stop ${id})`,
      interrupted,
    );
  } finally {
    io.show?.("");
  }
}

function progressOf(trial: Trial, cases: TrialCase[]): string {
  const remaining = measuredEstimate(trial, cases);
  const rest = remaining?.dollars === undefined ? "" : ` · about ${inDollars(remaining.dollars)} to go`;
  return `${describeTrial(trial, summarize(trial, cases))}${rest}`;
}

function notServed(id: string): string {
  return `the service on the data directory has stopped; trial ${id} proceeds when it starts again (${commandLine("start")})`;
}

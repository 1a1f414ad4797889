import { setTimeout as sleep } from "node:timers/promises";
import { commandLine } from "../../../src/command-line.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { inDollars } from "../../../src/trials/describe-trial.ts";
import { CliError, type FileIo } from "../../cli.ts";
import { interrupted, onInterrupt } from "../interruption.ts";
import type { Session } from "../session.ts";

const pollMilliseconds = 1_000;

/**
 * Waits until a trial has ended. Shows its progress on one line of the terminal. Rejects with a CliError after Ctrl-C, and when
 * the service has stopped: the trial proceeds when the service runs.
 */
export async function waitForTrial(
  { call, isServed }: Pick<Session, "call" | "isServed">,
  id: string,
  io: FileIo,
): Promise<Schemas["Trial"]> {
  using interruption = onInterrupt();
  const { signal } = interruption;
  try {
    for (;;) {
      const trial = await call<Schemas["Trial"]>("get_trial", { trial_id: id });
      if (trial.status === "finished") return trial;
      io.show?.(progressOf(trial));
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

function progressOf({ summary, remaining }: Schemas["Trial"]): string {
  const dollars = remaining?.dollars ?? undefined;
  return `${summary.text}${dollars === undefined ? "" : ` · about ${inDollars(dollars)} to go`}`;
}

function notServed(id: string): string {
  return `the service on the data directory has stopped; trial ${id} proceeds when it starts again (${commandLine("start")})`;
}

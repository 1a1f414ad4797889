import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { recentOutput } from "./processes.ts";

/** Kept between runs and ignored by git: the virtual environment, MiniStack's log and the synthesized templates. */
export const folder = join(import.meta.dirname, "../../.deploy-test");

export const ministackLog = join(folder, "ministack.log");

/**
 * Runs one phase of the deploy test and prints how long it took. Rejects with the phase's name when the work rejects or
 * is not done within `minutes`; each deadline is at least four times what the phase takes on two idle processors.
 */
export async function phase<T>(name: string, minutes: number, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const seconds = (): string => `${((performance.now() - begun) / 1_000).toFixed(1)} s`;
  console.log(`${name} … (at most ${minutes} min)`);
  recentOutput.length = 0;
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${minutes} min`)), minutes * 60_000);
  });
  try {
    const result = await Promise.race([work(), deadline]);
    console.log(`${name}: ${seconds()}`);
    return result;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`phase "${name}" failed after ${seconds()}: ${message}${logs()}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** The ends of the phase's output and of MiniStack's log. */
function logs(): string {
  const ofPhase = recentOutput.join("");
  const ofMinistack = existsSync(ministackLog) ? readFileSync(ministackLog, "utf8") : "";
  return [
    ["output of the phase", ofPhase],
    [ministackLog, ofMinistack],
  ]
    .filter(([, text]) => text)
    .map(([title = "", text = ""]) => `\n--- end of ${title}\n${text.trimEnd().split("\n").slice(-30).join("\n")}`)
    .join("");
}

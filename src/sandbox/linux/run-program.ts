import { collectChanges, collectLimits } from "./changes.ts";
import { boundedOutput, failedResult, limitTime, type Stop, stoppedProblem } from "./program-end.ts";
import { type BubblewrapHost, type ProgramPlace, startBubblewrap } from "./bubblewrap/start-bubblewrap.ts";
import type { ContentFolder } from "./content-folder.ts";
import type { LinuxProgram, LinuxResult } from "./linux-types.ts";
import { memoryProblem, watchProgram } from "./watch-program.ts";

interface Watch {
  signal: AbortSignal;
  onOutput?: ((text: string) => void) | undefined;
}

/** Runs one program and stores what it changed. A program that is stopped saves nothing. */
export async function runProgram(
  host: BubblewrapHost,
  place: ProgramPlace,
  program: LinuxProgram,
  contents: ContentFolder,
  { signal, onOutput }: Watch,
): Promise<LinuxResult> {
  const memoryKills = (): number => host.groups?.memoryKills(place.slot.number) ?? 0;
  const killsBefore = memoryKills();
  const { child, makeFiles } = startBubblewrap(host, place, program, contents);
  const pid = child.pid;
  if (pid === undefined) return notStarted((await child.failure) ?? "no process");
  let stopped: string | undefined;
  const stop: Stop = (why) => {
    stopped ??= why;
    child.kill();
  };
  const output = boundedOutput(host.limits.outputCharacters, stop, onOutput);
  child.output.on("data", output.add).on("end", output.end);
  const stoppedResult = (why: string): LinuxResult => ({ ...failedResult(stoppedProblem(why)), output: output.text() });
  const endLimit = limitTime(program.seconds, signal, stop);
  const { folder } = place;
  const isUserShared = host.users === "shared";
  const unbound = { memory: !host.groups, isUserShared, ...(folder !== undefined && { folder }) };
  const endWatch = watchProgram(() => pid, unbound, host.limits, stop);
  try {
    const workspace = await makeFiles();
    const ended = workspace !== undefined && (await child.reached("ended"));
    endLimit();
    endWatch();
    if (!ended || stopped !== undefined) {
      child.kill();
      await child.closed;
      signal.throwIfAborted();
      const why = stopped ?? (memoryKills() > killsBefore ? memoryProblem(host.limits.memoryBytes) : undefined);
      return why === undefined ? notStarted(child.errors() || "bubblewrap failed") : stoppedResult(why);
    }
    const limits = collectLimits(host.limits, program);
    const { problem: notCollected, ...changes } = await collectChanges(workspace, contents, limits, signal);
    child.release();
    await child.closed;
    // The last of the output can arrive after the end of the program.
    if (stopped !== undefined) return stoppedResult(stopped);
    const exitCode = child.exitCode();
    if (exitCode === undefined) return notStarted(output.text().trim() || child.errors());
    const hadNoMemory = memoryKills() > killsBefore;
    const ofProgram = hadNoMemory
      ? `A process was stopped: ${memoryProblem(host.limits.memoryBytes)}. The program ended with exit code ${exitCode}.`
      : `The program ended with exit code ${exitCode}.`;
    const problem = notCollected ?? (exitCode !== 0 || hadNoMemory ? ofProgram : undefined);
    return { output: output.text(), exitCode, ...changes, ...(problem !== undefined && { problem }) };
  } catch (error) {
    child.kill();
    if (stopped === undefined || signal.aborted) throw error;
    await child.closed;
    return stoppedResult(stopped); // the changes could not be read, because the program was stopped meanwhile
  } finally {
    endLimit();
    endWatch();
  }
}

function notStarted(why: string): LinuxResult {
  return failedResult(`The program could not start: ${why}.`);
}

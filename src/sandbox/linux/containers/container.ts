import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { collectChanges, collectLimits } from "../changes.ts";
import { type ContainerHost, type ContainerRoot, pidFile } from "./container-arguments.ts";
import { type ContainerPlace, containerProcess } from "./container-process.ts";
import { discardFolder } from "../discard-folder.ts";
import { copyOf, layOutFiles } from "../lay-out.ts";
import { boundedOutput, failedResult, limitTime, type Stop, stoppedProblem } from "../program-end.ts";
import { pythonStart, pythonStartFile } from "../python-path.ts";
import type { RunOfProgram, Slots } from "../slots.ts";
import { Snapshot } from "../snapshot.ts";
import type { ContentFolder } from "../content-folder.ts";
import type { EnvironmentFacts, Linux, LinuxProgram, LinuxResult } from "../linux-types.ts";
import { watchProgram } from "../watch-program.ts";

/** What the runs of one service share. */
export interface Containers extends ContainerHost {
  slots: Slots;
  /** Existing folder for copies of files, on the file system of the store. The engine must be able to mount it. */
  folder: string;
}

/** Programs that an environment's images run as where the service has no user number (Windows). */
const nobody = 65_534;

/** Runs each program of one run in a new container of docker or podman, with copies of the files. */
export function containerLinux(
  shared: Containers,
  { root, facts }: { root: ContainerRoot; facts: EnvironmentFacts },
  run: RunOfProgram & { contents: ContentFolder },
): Linux {
  return {
    engine: shared.engine,
    facts,
    run: (program, signal, onOutput) =>
      shared.slots.run(
        run,
        async (slot) => {
          const folder = join(shared.folder, randomUUID());
          const user = slot.user ?? process.getuid?.() ?? nobody;
          const group = slot.user ?? process.getgid?.() ?? nobody;
          try {
            await mkdir(folder, { mode: 0o700 });
            await writeFile(join(folder, "text"), program.text, { mode: 0o644 });
            await mkdir(join(folder, "python"), 0o755);
            await writeFile(join(folder, "python", pythonStartFile), pythonStart, { mode: 0o644 });
            return await runContainer(shared, { folder, root, user, group }, program, run.contents, {
              signal,
              onOutput,
            });
          } finally {
            void discardFolder(folder);
          }
        },
        signal,
      ),
  };
}

interface Watch {
  signal: AbortSignal;
  onOutput?: ((text: string) => void) | undefined;
}

/** Runs one program and stores what it changed. A program that is stopped saves nothing. */
async function runContainer(
  host: Containers,
  place: ContainerPlace,
  program: LinuxProgram,
  contents: ContentFolder,
  { signal, onOutput }: Watch,
): Promise<LinuxResult> {
  const { limits } = host;
  let stopped: string | undefined;
  const stop: Stop = (why) => {
    stopped ??= why;
    container.kill();
  };
  const output = boundedOutput(limits.outputCharacters, stop, onOutput);
  const container = containerProcess(host, place, program, output);
  try {
    // In memory, the engine's namespace gives the files to their user.
    const owner = host.users === "own" ? place.user : undefined;
    const folder = await container.prepare((empty) => layOutFiles(empty, program.files, copyOf(contents), owner));
    if (folder === undefined) return notStarted(host, container.errors());
    // Elsewhere, the engine has a virtual machine, which may keep times of changes to itself.
    const snapshot = process.platform === "linux" ? await Snapshot.take(folder, program.files) : undefined;
    signal.throwIfAborted();
    container.start();
    const code = await endOf(host, { place, folder, seconds: program.seconds, signal, stop, ended: container.ended });
    signal.throwIfAborted();
    if (stopped !== undefined || !container.hasStarted() || code === undefined) {
      await container.release();
      if (stopped === undefined) return notStarted(host, container.errors());
      return { ...failedResult(stoppedProblem(stopped)), output: output.text() };
    }
    const ended = { folder, before: program.files, modes: () => container.modes(), ...(snapshot && { snapshot }) };
    const { problem: notCollected, ...changes } = await collectChanges(
      ended,
      contents,
      collectLimits(limits, program),
      signal,
    );
    await container.release();
    const killed = code === 137 ? ` Perhaps it used more than ${limits.memoryBytes / 2 ** 20} MB of memory.` : "";
    const problem = notCollected ?? (code === 0 ? undefined : `The program ended with exit code ${code}.${killed}`);
    return { output: output.text(), exitCode: code, ...changes, ...(problem !== undefined && { problem }) };
  } finally {
    await container.release();
  }
}

/** Milliseconds between two reads of the number of a container's first process. */
const pidMilliseconds = 50;

/** Watches the program until it ends. Resolves with its exit code. */
async function endOf(
  host: Containers,
  {
    place,
    folder,
    seconds,
    signal,
    stop,
    ended,
  }: {
    place: ContainerPlace;
    folder: string;
    seconds: number;
    signal: AbortSignal;
    stop: Stop;
    ended: Promise<number | undefined>;
  },
): Promise<number | undefined> {
  const endLimit = limitTime(seconds, signal, stop);
  let pid: number | undefined;
  const unbound = {
    memory: host.engine === "podman" && process.platform === "linux" && !host.hasGroups,
    isUserShared: host.users === "shared",
    ...(host.workspace === "disk" && { folder }),
  };
  if (unbound.memory) {
    // podman writes it when the container has been created.
    const look = setInterval(() => {
      void readFile(pidFile(place.folder), "utf8").then(
        (text) => (pid = Number(text) || undefined),
        () => {},
      );
    }, pidMilliseconds);
    void ended.then(() => clearInterval(look));
  }
  const endWatch = watchProgram(() => pid, unbound, host.limits, stop);
  try {
    return await ended;
  } finally {
    endLimit();
    endWatch();
  }
}

function notStarted({ engine }: Containers, errors: string): LinuxResult {
  return failedResult(`The program could not start: ${errors || `${engine} failed`}.`);
}

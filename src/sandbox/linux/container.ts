import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { collectChanges } from "./changes.ts";
import { containerArguments, type ContainerHost, type ContainerRoot } from "./container-arguments.ts";
import { type ActiveUsers, copiedContents, linkFiles, makeReadable, removeFolder } from "./file-links.ts";
import {
  type BoundedOutput,
  boundedOutput,
  failedResult,
  limitTime,
  type Stop,
  stoppedProblem,
} from "./program-end.ts";
import type { RunOfProgram, Slots } from "./slots.ts";
import type { ContentFolder, EnvironmentFacts, Linux, LinuxProgram, LinuxResult } from "./types.ts";
import { watchProgram } from "./watch-program.ts";

/** What the runs of one service share. */
export interface Containers extends ContainerHost {
  slots: Slots;
  /** Existing folder for copies of files, on the file system of the store. The engine must be able to mount it. */
  folder: string;
}

/** Programs that an environment's images run as where the service has no user number (Windows). */
const nobody = 65_534;
/** Pause between two attempts to end a container: it may not have started yet. */
const killMilliseconds = 200;
/** Attempts. Then the client is ended, too. */
const killAttempts = 50;
/** Characters of the engine's errors that are kept. */
const errorCharacters = 2_000;

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
            const owner = slot.user === undefined ? undefined : { user: slot.user, active: shared.slots.active };
            await copyFiles(folder, program, run.contents, owner);
            const place = { folder, root, user: `${user}:${group}` };
            return await runContainer(shared, place, program, run.contents.store, { signal, onOutput });
          } finally {
            removeFolder(folder).catch(() => {});
          }
        },
        signal,
      ),
  };
}

/** Makes `files` with copies of the workspace, and `text` with the program. `owner`: their user, where the service is root. */
async function copyFiles(
  folder: string,
  program: LinuxProgram,
  contents: ContentFolder,
  owner: { user: number; active: ActiveUsers } | undefined,
): Promise<void> {
  const files = join(folder, "files");
  await linkFiles(files, program.files, copiedContents(contents, folder), owner);
  if (owner) await chown(files, owner.user, owner.user);
  await writeFile(join(folder, "text"), program.text, { mode: 0o644 });
}

interface Place {
  folder: string;
  root: ContainerRoot;
  user: string;
}

interface Watch {
  signal: AbortSignal;
  onOutput?: ((text: string) => void) | undefined;
}

/** Runs one program and stores what it changed. A program that is stopped saves nothing. */
async function runContainer(
  host: Containers,
  { folder, root, user }: Place,
  program: LinuxProgram,
  store: ContentFolder["store"],
  { signal, onOutput }: Watch,
): Promise<LinuxResult> {
  const workspace = join(folder, "files");
  const { limits } = host;
  let stopped: string | undefined;
  const stop: Stop = (why) => {
    stopped ??= why;
    started.kill();
  };
  const output = boundedOutput(limits.outputCharacters, stop, onOutput);
  const started = startContainer(host, { folder, root, user }, program, output);
  const endLimit = limitTime(program.seconds, signal, stop);
  const endWatch = watchProgram(process.pid, { memory: false, folder: workspace }, limits, stop);
  let code: number | undefined;
  try {
    code = await started.closed;
  } finally {
    endLimit();
    endWatch();
  }
  signal.throwIfAborted();
  if (stopped !== undefined) return { ...failedResult(stoppedProblem(stopped)), output: output.text() };
  if (!started.hasStarted() || code === undefined) {
    return failedResult(`The program could not start: ${started.errors() || `${host.engine} failed`}.`);
  }
  await makeReadable(workspace); // the service may be the same user
  const changes = await collectChanges({ folder: workspace, before: program.files }, store, limits);
  const killed = code === 137 ? ` Perhaps it used more than ${limits.memoryBytes / 2 ** 20} MB of memory.` : "";
  const problem = code === 0 ? undefined : `The program ended with exit code ${code}.${killed}`;
  return { output: output.text(), exitCode: code, ...changes, ...(problem !== undefined && { problem }) };
}

/** Starts the container. Its standard error has errors of the engine only: the program's is a part of standard output. */
function startContainer(
  host: Containers,
  { folder, root, user }: Place,
  { language, seconds }: LinuxProgram,
  output: BoundedOutput,
) {
  const name = `agent-run-${randomUUID()}`;
  const startMark = randomUUID();
  const paths = { workspace: join(folder, "files"), text: join(folder, "text") };
  const args = containerArguments(host, { name, root, user, language, startMark, seconds, ...paths });
  // podman's monitor writes a file named oom into its working folder when a program used too much memory.
  const child = spawn(host.engine, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  /** What was printed before the mark was complete. Undefined: the program has started. */
  let beginning: Buffer | undefined = Buffer.alloc(0);
  let errors = "";
  child.stdout.on("data", (bytes: Buffer) => {
    if (beginning === undefined) return output.add(bytes);
    beginning = Buffer.concat([beginning, bytes]);
    if (beginning.length < startMark.length) return;
    if (!beginning.toString("latin1").startsWith(startMark)) {
      errors += beginning.toString().slice(0, errorCharacters);
      return;
    }
    const rest = beginning.subarray(startMark.length);
    beginning = undefined;
    output.add(rest);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors = (errors + text).slice(0, errorCharacters)));
  const client = { isClosed: false };
  const closed = new Promise<number | undefined>((resolve) => {
    child.once("error", ({ message }) => {
      client.isClosed = true;
      errors = message;
      resolve(undefined);
    });
    child.once("close", (code) => {
      client.isClosed = true;
      if (beginning === undefined) output.end();
      resolve(code ?? undefined);
    });
  });
  let isKilling = false;
  /** The end of the client is not the end of the container, so it is ended by its name until the client has seen it. */
  async function kill(): Promise<void> {
    if (isKilling) return;
    isKilling = true;
    for (let attempt = 0; attempt < killAttempts && !client.isClosed; attempt++) {
      await runQuietly(host.engine, ["kill", name]);
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, killMilliseconds))]);
    }
    if (client.isClosed) return;
    await runQuietly(host.engine, ["rm", "--force", name]);
    child.kill("SIGKILL");
  }
  return {
    closed,
    hasStarted: () => beginning === undefined,
    errors: () => errors.trim(),
    kill: () => void kill(),
  };
}

/** Resolves when the command has ended, in whatever way. */
function runQuietly(command: string, args: string[]): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: "ignore" });
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
}

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { containerArguments, type ContainerHost, type ContainerRoot } from "./container-arguments.ts";
import type { BoundedOutput } from "../program-end.ts";
import { openToOthers, readModes } from "../bubblewrap/setup-script.ts";
import { memoryOf } from "../bubblewrap/stubs.ts";
import type { LinuxProgram } from "../linux-types.ts";

/** Where a container runs. */
export interface ContainerPlace {
  /** An existing folder of its own. The program's text is in `text`. */
  folder: string;
  root: ContainerRoot;
  /** Numbers of the user and its group, as the engine's process numbers them. */
  user: number;
  group: number;
}

/** One program's container. */
export interface ContainerProcess {
  /** `make`: makes the workspace in an empty folder. Resolves with the folder; undefined: there can be none. */
  prepare(make: (folder: string) => Promise<void>): Promise<string | undefined>;
  /** Permissions of the workspace's files that were changed after the end of the program, by path. */
  modes: () => ReadonlyMap<string, number>;
  /** Starts the program. */
  start(): void;
  /** The program's exit code. Undefined: the engine failed. */
  ended: Promise<number | undefined>;
  /** Whether the program itself has started. */
  hasStarted(): boolean;
  errors(): string;
  kill(): void;
  /** Gives the workspace up. Resolves when all of the output has arrived. */
  release(): Promise<void>;
}

/** Pause between two attempts to end a container: it may not have started yet. */
const killMilliseconds = 200;
/** Attempts. Then the client is ended, too. */
const killAttempts = 50;
/** Characters of the engine's errors that are kept. */
const errorCharacters = 2_000;

/**
 * Runs the engine in a mount namespace of its own, with the workspace in a tmpfs that has limits on bytes and inodes. The service
 * reaches the files through /proc/PID/root, so nothing is left when the processes end. What it prints to standard error begins
 * with a mark that the program does not know. A line on standard input continues it; the end of standard input stops it.
 */
const roomScript = `set -eu
MARK=$1 ROOM=$2 USERS=$3 OWNER=$4 SIZE=$5 INODES=$6
shift 6
mount -t tmpfs -o "size=$SIZE,nr_inodes=$INODES,mode=0711" workspace "$ROOM"
mkdir "$ROOM/files"
echo "$MARK ready $$" >&2
read -r _
[ "$USERS" = own ] || chown -Rh "$OWNER" "$ROOM/files"
echo "$MARK given" >&2
read -r _
code=0
"$@" </dev/null || code=$?
[ "$USERS" = own ] || { WORK="$ROOM/files"; WRITTEN="$WORK"; MODES="$ROOM/modes"; ${openToOthers}; }
echo "$MARK ended $code" >&2
read -r _ || true`;

const ownMounts = ["unshare", "--mount", "--propagation", "private"];

/** Prepares a container for a program. Its standard error has errors of the engine only: the program's is a part of standard output. */
export function containerProcess(
  host: ContainerHost,
  { folder, root, user, group }: ContainerPlace,
  program: LinuxProgram,
  output: BoundedOutput,
): ContainerProcess {
  const name = `agent-run-${randomUUID()}`;
  const startMark = randomUUID();
  const mark = randomUUID();
  const room = join(folder, "room");
  const onDisk = join(folder, "files");
  const inMemory = host.workspace === "memory";
  const { language, seconds } = program;
  const workspace = inMemory ? join(room, "files") : onDisk;
  const text = join(folder, "text");
  const python = join(folder, "python");
  const owner = `${user}:${group}`;
  const container = { name, root, user: owner, language, startMark, seconds, workspace, text, python };
  const args = containerArguments(host, container);
  const ready = Promise.withResolvers<number | undefined>();
  const given = Promise.withResolvers<boolean>();
  const ended = Promise.withResolvers<number | undefined>();
  const closed = Promise.withResolvers<void>();
  const client = { hasEnded: false };
  let child: ChildProcess | undefined;
  /** Of the shell in the namespace of the workspace. */
  let pid: number | undefined;
  /** What was printed before the mark was complete. Undefined: the program has started. */
  let beginning: Buffer | undefined = Buffer.alloc(0);
  let errors = "";

  function begin(command: string, commandArguments: string[]): ChildProcess {
    // podman's monitor writes a file named oom into its working folder when a program used too much memory.
    const options = { cwd: folder, detached: process.platform !== "win32" };
    const started = spawn(command, commandArguments, {
      ...options,
      stdio: [inMemory ? "pipe" : "ignore", "pipe", "pipe"],
    });
    started.stdin?.on("error", () => {}); // it has ended; that is handled
    (started.stdout as Readable).on("data", takeOutput);
    createInterface({ input: started.stderr as Readable }).on("line", takeError);
    started.once("error", ({ message }) => {
      errors = message;
      end(undefined);
      closed.resolve();
    });
    started.once("close", (code) => {
      if (beginning === undefined) output.end();
      end(inMemory ? undefined : (code ?? undefined));
      closed.resolve();
    });
    return started;
  }

  function end(code: number | undefined): void {
    client.hasEnded = true;
    ready.resolve(undefined);
    given.resolve(false);
    ended.resolve(code);
  }

  function takeOutput(bytes: Buffer): void {
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
  }

  function takeError(line: string): void {
    const [first, event, value] = line.split(" ");
    if (first !== mark) errors = `${errors}${line}\n`.slice(0, errorCharacters);
    else if (event === "ready") ready.resolve(Number(value));
    else if (event === "given") given.resolve(true);
    // What was printed before is in the pipe, and the next round of the event loop reads it.
    else setImmediate(() => setImmediate(() => end(Number(value))));
  }

  const continueScript = (): void => void child?.stdin?.write("\n");

  function openRoom(): ChildProcess {
    const { bytes, inodes } = memoryOf(program.files, program.files);
    const [size, most] = [host.limits.diskBytes + bytes, host.limits.inodes + inodes].map(String);
    const settings = [mark, room, host.users, owner, size ?? "", most ?? ""];
    // Without root, mounts need the namespace in which podman has its users.
    const [command = "", ...rest] = [...(host.users === "own" ? [] : [host.engine, "unshare"]), ...ownMounts];
    return begin(command, [...rest, "sh", "-c", roomScript, "sh", ...settings, host.engine, ...args]);
  }

  let isKilling = false;
  /** The end of the client is not the end of the container, so it is ended by its name until the client has seen it. */
  async function kill(): Promise<void> {
    if (isKilling) return;
    isKilling = true;
    for (let attempt = 0; attempt < killAttempts && !client.hasEnded; attempt++) {
      await runQuietly(host.engine, ["kill", name]);
      await Promise.race([ended.promise, new Promise((resolve) => setTimeout(resolve, killMilliseconds))]);
    }
    if (client.hasEnded) return;
    await runQuietly(host.engine, ["rm", "--force", name]);
    killGroup(child);
  }

  return {
    async prepare(make) {
      if (!inMemory) {
        await mkdir(onDisk, 0o755);
        await make(onDisk);
        return onDisk;
      }
      await mkdir(room, 0o711);
      child = openRoom();
      pid = await ready.promise;
      if (pid === undefined) return undefined;
      const seen = `/proc/${pid}/root${join(room, "files")}`;
      await make(seen);
      continueScript();
      return (await given.promise) ? seen : undefined;
    },
    modes() {
      const isOpened = pid !== undefined && host.users !== "own";
      return isOpened ? readModes(`/proc/${pid}/root${join(room, "modes")}`) : new Map();
    },
    start() {
      if (inMemory) continueScript();
      else child = begin(host.engine, args);
    },
    ended: ended.promise,
    hasStarted: () => beginning === undefined,
    errors: () => errors.trim(),
    kill: () => void kill(),
    async release() {
      child?.stdin?.end();
      if (child) await closed.promise;
    },
  };
}

/** With the engine's client, which may not react. */
function killGroup(child: ChildProcess | undefined): void {
  try {
    if (child?.pid !== undefined && process.platform !== "win32") process.kill(-child.pid, "SIGKILL");
    else child?.kill("SIGKILL");
  } catch {
    // it has ended
  }
}

/** Resolves when the command has ended, in whatever way. */
function runQuietly(command: string, args: string[]): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: "ignore" });
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
}

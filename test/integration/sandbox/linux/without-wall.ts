import { spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import {
  bwrapArguments,
  ownEtc,
  programCommand,
  type RootFolder,
} from "../../../../src/sandbox/linux/bubblewrap/bwrap-arguments.ts";
import { linuxLimits } from "../../../../src/sandbox/linux/linux-limits.ts";
import { filterArchitecture, seccompFilter } from "../../../../src/sandbox/linux/bubblewrap/seccomp.ts";

/** A part of the sandbox that can be left out. */
export type Wall = "filter" | "network" | "processes" | "read-only" | "environment" | "capabilities";

/** The engine's arguments of bubblewrap without those of one wall. */
function without(wall: Wall, args: string[]): string[] {
  const spaces = ["user", "ipc", "pid", "net", "uts", "cgroup"];
  const others = (space: string): string[] =>
    spaces.filter((each) => each !== space).map((each) => `--unshare-${each}`);
  const drop = (option: string, values: number): string[] =>
    args.filter((_, at) => !args.slice(Math.max(0, at - values), at + 1).includes(option));
  if (wall === "network") return [...others("net"), ...args.filter((each) => each !== "--unshare-all")];
  if (wall === "processes") return [...others("pid"), ...args.filter((each) => each !== "--unshare-all")];
  if (wall === "read-only") return drop("--remount-ro", 1);
  if (wall === "environment") return drop("--clearenv", 0);
  if (wall === "capabilities") return ["--cap-add", "ALL", ...drop("--disable-userns", 0)];
  return args;
}

/**
 * Runs a program in bubblewrap as the engine does, but without one of its walls, to find out whether an attack notices that.
 * The user is never root.
 */
export async function runWithout(
  wall: Wall,
  root: RootFolder,
  { text, language, files = {} }: { text: string; language: "shell" | "python"; files?: Record<string, string> },
): Promise<string> {
  const folder = mkdtempSync("/tmp/agent-without-");
  const [work, program] = [join(folder, "work"), join(folder, "program")];
  mkdirSync(work);
  writeFileSync(program, text);
  const user = process.getuid?.() === 0 ? 65_533 : undefined;
  for (const [name, content] of Object.entries(files)) writeFileSync(join(work, name), content);
  for (const [name, content] of Object.entries(ownEtc)) writeFileSync(join(folder, name), content);
  chmodSync(folder, 0o755);
  if (user !== undefined) chownSync(work, user, user);
  try {
    const shown = { root: root.path, work, program, python: folder, etc: folder };
    const args = without(wall, bwrapArguments(root, shown, language, linuxLimits));
    const hasFilter = wall !== "filter" && wall !== "capabilities";
    const child = spawn(
      "bwrap",
      ["--args", "3", ...(hasFilter ? ["--seccomp", "4"] : []), ...programCommand(language, linuxLimits, true)],
      {
        cwd: "/",
        stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
        ...(user !== undefined && { uid: user, gid: user }),
      },
    );
    const [given, filter] = [child.stdio[3], child.stdio[4]] as unknown as [Writable, Writable];
    for (const stream of [given, filter]) stream.on("error", () => {});
    given.end(args.join("\0"));
    filter.end(seccompFilter(filterArchitecture() ?? "x64", true));
    const parts: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part: Buffer) => parts.push(part));
    await new Promise((resolve) => child.once("close", resolve));
    return Buffer.concat(parts).toString();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

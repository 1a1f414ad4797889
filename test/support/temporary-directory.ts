import { accessSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system in memory, on Linux. */
const memory = "/dev/shm";
const neededBytes = 6 * 2 ** 30;

/**
 * Whether temporary files can be in memory. The databases of the tests wait for the disk at each write: their tests take less than
 * half of the time there. Tests also run programs from it, which containers often forbid.
 */
function hasRoomInMemory(): boolean {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .find(([, path]) => path === memory);
    const [, , type, options = "noexec"] = mount ?? [];
    return type === "tmpfs" && !options.split(",").includes("noexec") && bavail * bsize >= neededBytes;
  } catch {
    return false;
  }
}

/** Gives the tests of a command their own temporary directory, and removes it with what they left. CDK leaves much. */
export default function setup(): () => void {
  const before = process.env["TMPDIR"];
  const parent = before === undefined && hasRoomInMemory() ? memory : tmpdir();
  const directory = mkdtempSync(join(parent, "agent-run-tests-"));
  process.env["TMPDIR"] = directory;
  return () => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    rmSync(directory, { recursive: true, force: true });
  };
}

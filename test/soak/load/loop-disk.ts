import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { newDataDir } from "../../integration/service.ts";

const run = promisify(execFile);
const megabytes = { outer: 768, disk: 512 };

function newFileSystem(file: string, size: number): void {
  writeFileSync(file, "");
  truncateSync(file, size * 2 ** 20);
  execFileSync("mkfs.ext4", ["-q", "-F", file], { stdio: "pipe" });
}

/** Mounts a file on a loop device. The journal is replayed. */
export function mounted(file: string, path: string): Disposable & { path: string } {
  mkdirSync(path);
  execFileSync("mount", ["-o", "loop", file, path], { stdio: "pipe" });
  return { path, [Symbol.dispose]: () => void execFileSync("umount", ["--lazy", path]) };
}

/**
 * A disk whose power can be cut: ext4 on a loop device, whose file is on another ext4. To freeze that one stops all writes of the
 * device at one moment, also those that an fsync waits for, so that a copy of the file is what had reached the disk by then.
 */
export class LoopDisk {
  readonly folder = newDataDir();
  readonly path = join(this.folder, "disk");
  readonly #outer = join(this.folder, "outer");
  readonly #file = join(this.#outer, "disk.img");
  readonly #mounts = new DisposableStack();

  /** Throws without root, `mkfs.ext4`, or loop devices. */
  constructor() {
    try {
      const outer = join(this.folder, "outer.img");
      newFileSystem(outer, megabytes.outer);
      this.#mounts.use(mounted(outer, this.#outer));
      newFileSystem(this.#file, megabytes.disk);
      this.#mounts.use(mounted(this.#file, this.path));
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Copies what has reached the disk. One process freezes and thaws, so that nothing stays frozen when this one ends. */
  async copyTo(target: string): Promise<void> {
    const script = 'fsfreeze -f "$1" && cp --sparse=always "$2" "$3"; result=$?; fsfreeze -u "$1"; exit $result';
    await run("sh", ["-c", script, "sh", this.#outer, this.#file, target]);
  }

  [Symbol.dispose](): void {
    this.#mounts.dispose();
    rmSync(this.folder, { recursive: true });
  }
}

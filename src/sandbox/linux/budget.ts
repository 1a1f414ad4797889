import type { Room } from "./linux-types.ts";
import { noteOf } from "./workspace-tree.ts";

/** What is stored at most. `room`: see `LinuxProgram`. `writtenBytes`: of all files that the program changed. */
export interface CollectLimits {
  files: number;
  fileBytes: number;
  writtenBytes: number;
  room?: Room | undefined;
}

/** Bytes of a file and of the one that it replaces. */
interface Sizes {
  size: number;
  before: number;
}

/** What is left of the limits, and what they left out. */
export class Budget {
  readonly #limits: CollectLimits;
  /** Of the workspace, and of what a program may change. */
  readonly #left: { room: number; written: number };
  readonly #refused = { fileBytes: [] as string[], room: [] as string[], written: [] as string[] };

  /** `bytes`: of the files that exist before and after the program. */
  constructor(limits: CollectLimits, bytes: number) {
    this.#limits = limits;
    this.#left = { room: (limits.room?.bytes ?? Infinity) - bytes, written: limits.writtenBytes };
  }

  /** A file that makes the workspace no larger has room also when there is none. */
  allows(name: string, { size, before }: Sizes): boolean {
    const refused = this.#refused;
    const names =
      (size > this.#limits.fileBytes && refused.fileBytes) ||
      (size - before > Math.max(0, this.#left.room) && refused.room) ||
      (size > this.#left.written && refused.written);
    if (names) names.push(`${name} (${size} bytes)`);
    return !names;
  }

  take({ size, before }: Sizes): void {
    this.#left.room -= size - before;
    this.#left.written -= size;
  }

  notes(): string[] {
    const { fileBytes, writtenBytes, room } = this.#limits;
    const reasons = [
      [`a file has at most ${fileBytes} bytes, and was cut there`, this.#refused.fileBytes],
      [room?.limit ?? "", this.#refused.room],
      [`all changed files may have ${writtenBytes} bytes together`, this.#refused.written],
    ] as const;
    return reasons.flatMap(([reason, names]) => (names.length > 0 ? [noteOf(reason, names)] : []));
  }
}

import { type FileLimits, limitProblem } from "../tools/file-limits.ts";
import type { FileInfo } from "../tools/files.ts";
import { WorkspaceNames } from "../tools/workspace-names.ts";
import { type FileVersion, infosIn, type Manifest } from "./manifest.ts";

/**
 * The files that a tool call sees. A change and a check of a new file cost the same for any number of files: a program can
 * change all of them.
 */
export class SeenFiles {
  readonly #files: Map<string, FileVersion>;
  #bytes: number;
  #names: WorkspaceNames | undefined;

  constructor(files: Iterable<FileVersion>) {
    this.#files = new Map();
    this.#bytes = 0;
    for (const file of files) this.apply(file);
  }

  /** Without deleted files. */
  get manifest(): Manifest {
    return this.#files;
  }

  find(name: string): FileVersion | undefined {
    return this.#files.get(name);
  }

  /** Sorted by name. */
  list(): FileInfo[] {
    return infosIn(this.#files);
  }

  apply(change: FileVersion): void {
    const { name, size, deleted } = change;
    this.#bytes -= this.#files.get(name)?.size ?? 0;
    if (deleted) {
      this.#files.delete(name);
      this.#names?.remove(name);
      return;
    }
    this.#files.set(name, change);
    this.#bytes += size;
    this.#names?.add(name);
  }

  /** Why a file cannot be written, for the model. Undefined: it can. */
  problemOf(file: FileInfo, limits: FileLimits): string | undefined {
    this.#names ??= new WorkspaceNames(this.#files.keys());
    const totals = { files: this.#files.size, bytes: this.#bytes };
    return this.#names.problemOf(file.name) ?? limitProblem(file, this.find(file.name)?.size, totals, limits);
  }
}

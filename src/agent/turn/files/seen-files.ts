import { type FileLimits, limitProblem } from "../../tools/files/file-limits.ts";
import type { FileMetadata } from "../../../sandbox/linux/linux-types.ts";
import type { FileInfo } from "../../tools/files/files.ts";
import { WorkspaceNames } from "../../tools/files/workspace-names.ts";
import { type FileVersion, infosIn, type Manifest } from "./manifest.ts";

/**
 * The files that a tool call sees. A change and a check of a new file cost the same for any number of files: a program can
 * change all of them.
 */
export class SeenFiles {
  readonly #files: Map<string, FileVersion>;
  #bytes: number;
  /** Folders with a record of their own. They are no files to the limits, and another file may take their names. */
  #folders = 0;
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
    const before = this.#files.get(name);
    this.#bytes -= before?.size ?? 0;
    if (before?.kind === "folder") this.#folders--;
    if (deleted || change.kind === "folder") this.#names?.remove(name);
    if (deleted) {
      this.#files.delete(name);
      return;
    }
    this.#files.set(name, change);
    this.#bytes += size;
    if (change.kind === "folder") this.#folders++;
    else this.#names?.add(name);
  }

  /** Why a file cannot be written, for the model. Undefined: it can. `isOfProgram`: a program made it, and chose its name. */
  problemOf(file: FileInfo & FileMetadata, limits: FileLimits, isOfProgram: boolean): string | undefined {
    this.#names ??= new WorkspaceNames(
      [...this.#files.values()].flatMap(({ name, kind }) => (kind === "folder" ? [] : name)),
    );
    const found = this.find(file.name);
    if (found?.kind === "link" && !isOfProgram) return linkProblem(file.name);
    // As a file in it, unless it takes the place of a file.
    if (file.kind === "folder") return found ? undefined : this.#names.problemOf(`${file.name}/file`, isOfProgram);
    const problem = this.#names.problemOf(file.name, isOfProgram);
    if (problem !== undefined) return problem;
    const totals = { files: this.#files.size - this.#folders, bytes: this.#bytes };
    return limitProblem(file, found?.kind === "folder" ? undefined : found?.size, totals, limits);
  }
}

function linkProblem(name: string): string {
  return `${JSON.stringify(name)} is a symbolic link. Write to the file that it leads to, or delete the link first.`;
}

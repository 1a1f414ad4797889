import { collisionKey, filenameProblem, isKeptPath } from "../../../filenames.ts";

/** A file or a folder as it is spelled. `files`: number of files of that name or below it. */
interface Entry {
  spelled: string;
  isFile: boolean;
  files: number;
}

/**
 * The names of a workspace, to find what a new name collides with on a common file system: another spelling of a file or
 * of a folder (ignoring case, in NFC), and a file where a folder is. Adding, removing and testing a name cost the same for
 * any number of files.
 */
export class WorkspaceNames {
  readonly #names = new Set<string>();
  /** By collision key, of each file and each folder. */
  readonly #entries = new Map<string, Entry>();

  constructor(names: Iterable<string>) {
    for (const name of names) this.add(name);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  add(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    for (const { key, spelled, isFile } of pathsTo(name)) {
      const entry = this.#entries.get(key);
      if (entry) entry.files++;
      else this.#entries.set(key, { spelled, isFile, files: 1 });
    }
  }

  remove(name: string): void {
    if (!this.#names.delete(name)) return;
    for (const { key } of pathsTo(name)) {
      const entry = this.#entries.get(key);
      if (entry && --entry.files === 0) this.#entries.delete(key);
    }
  }

  /**
   * Why no file can be written under this name, for the model. Undefined: it can. Every existing name can. `isOfProgram`: a
   * program chose it, for which names that differ in case are different.
   */
  problemOf(name: string, isOfProgram = false): string | undefined {
    if (this.#names.has(name)) return undefined;
    const problem = isOfProgram && isKeptPath(name) ? undefined : filenameProblem(name);
    if (problem !== undefined) return problem;
    for (const { key, spelled, isFile } of pathsTo(name)) {
      const entry = this.#entries.get(key);
      if (!entry) return undefined; // nothing is below it
      const found = JSON.stringify(entry.spelled);
      if (entry.spelled !== spelled && isOfProgram) continue;
      if (entry.spelled !== spelled) {
        const kind = entry.isFile ? "file" : "folder";
        const isSame = entry.spelled.normalize("NFC") === spelled.normalize("NFC");
        const how = isSame ? "its Unicode form (NFC, NFD)" : "case";
        return `${JSON.stringify(name)} differs from the existing ${kind} ${found} only in ${how}. Use that name or another one.`;
      }
      if (isFile) return `${found} is a folder with ${entry.files} files. Use another name for the file.`;
      if (entry.isFile) return `${found} is a file, so ${JSON.stringify(name)} cannot be in a folder of that name.`;
    }
    return undefined;
  }
}

/** The folders of a path, outermost first, and the path itself. */
function pathsTo(name: string): { key: string; spelled: string; isFile: boolean }[] {
  const paths = [];
  for (let end = name.indexOf("/"); end !== -1; end = name.indexOf("/", end + 1)) {
    const spelled = name.slice(0, end);
    paths.push({ key: collisionKey(spelled), spelled, isFile: false });
  }
  paths.push({ key: collisionKey(name), spelled: name, isFile: true });
  return paths;
}

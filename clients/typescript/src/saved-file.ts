import { InvalidArgument } from "./errors.ts";
import { nodeModules } from "./node-modules.ts";

/** Where a file is saved: a path, or a folder, in which it gets `name`, with sub-folders as in the name. */
export interface Place {
  to: string;
  name: string;
}

type Handle = Awaited<ReturnType<ReturnType<typeof nodeModules>["files"]["open"]>>;

/**
 * A file that is written as it arrives. It has another name until it is whole, so that a download that fails leaves the file
 * of before. What is no plain file, such as a pipe, is written in place.
 */
export class SavedFile {
  readonly #place: Place;
  readonly #node = nodeModules();
  #open: { handle: Handle; path: string; partial?: { path: string; target: string } } | undefined;
  #hash = this.#node.crypto.createHash("sha256");

  constructor(place: Place) {
    this.#place = place;
  }

  /** Begins with the first byte. Called again, it drops what was written. */
  async begin(): Promise<void> {
    this.#hash = this.#node.crypto.createHash("sha256");
    if (this.#open) await this.#open.handle.truncate();
    else this.#open = await this.#create();
  }

  async write(part: Uint8Array): Promise<void> {
    this.#hash.update(part);
    await this.#open?.handle.appendFile(part);
  }

  /** In hex digits, of all that was written. Call it once. */
  async sha256(): Promise<string> {
    return this.#hash.digest("hex");
  }

  /** Gives the file its name. Resolves with its path. */
  async finish(): Promise<string> {
    if (!this.#open) throw new Error("the file was not begun");
    const { handle, path, partial } = this.#open;
    await handle.close();
    if (partial) await this.#node.files.rename(partial.path, partial.target);
    return path;
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    await this.#open?.handle.close().catch(() => {});
    if (this.#open?.partial) await this.#node.files.rm(this.#open.partial.path, { force: true });
  }

  async #create() {
    const { files, path: paths, crypto } = this.#node;
    const { to, name } = this.#place;
    const named = await files.stat(to).catch(unlessMissing);
    const path = named?.isDirectory() ? await makePlace(to, name) : to;
    const found = await files.stat(path).catch(unlessMissing);
    if (found && !found.isFile()) return { handle: await files.open(path, "a"), path };
    const target = found ? await files.realpath(path) : path; // a link stays one
    const partial = paths.join(paths.dirname(target), `.${crypto.randomUUID()}.part`);
    return { handle: await files.open(partial, "ax", found?.mode), path, partial: { path: partial, target } };
  }
}

/**
 * Makes the folders of `name` in a folder, and resolves with the path of the file in them. Rejects for a name that would
 * leave the folder: by its parts, or because a part is a symbolic link.
 */
async function makePlace(folder: string, name: string): Promise<string> {
  const { files, path: paths } = nodeModules();
  const parts = name.split("/");
  const isPlain = parts.every((part) => part !== "" && part !== "." && part !== ".." && !part.includes("\0"));
  const path = paths.join(folder, ...parts);
  // On Windows, a part with a backslash or a drive has several parts.
  if (!isPlain || paths.relative(folder, path) !== parts.join(paths.sep)) throw outside(folder, name);
  for (let count = 1; count <= parts.length; count++) {
    const place = paths.join(folder, ...parts.slice(0, count));
    if (count < parts.length) await files.mkdir(place).catch(unlessExists);
    const found = await files.lstat(place).catch(unlessMissing);
    if (found?.isSymbolicLink()) throw outside(folder, name);
  }
  return path;
}

function outside(folder: string, name: string): InvalidArgument {
  return new InvalidArgument(
    `${JSON.stringify(name)} would not be a file in ${JSON.stringify(folder)}; pass the path of the file as \`to\``,
  );
}

function unlessExists(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EEXIST") throw error;
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

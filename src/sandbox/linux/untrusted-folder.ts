import { type BigIntStats, chmodSync, constants, type Dirent, lstatSync, readlinkSync } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * A folder that a program could write to, open. No symbolic link is followed below it, also if one takes the place of a folder
 * while the folder is read: each step starts from an open folder.
 */
export interface UntrustedFolder extends AsyncDisposable {
  entries(): Promise<Dirent<Buffer>[]>;
  /** Of the entry itself. */
  stat(name: string): BigIntStats;
  /** Rejects if the entry is not a folder. */
  folder(name: string): Promise<UntrustedFolder>;
  /** The target of a link. */
  target(name: string): Buffer;
  /** Opens a regular file to read it. Rejects for a link, and never waits for the writer of a pipe. */
  file(name: string): Promise<FileHandle>;
}

const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export function openUntrusted(path: string): Promise<UntrustedFolder> {
  return withRights(path, 0o500, openFolder);
}

async function openFolder(path: string): Promise<UntrustedFolder> {
  const handle = await open(path, readOnly | constants.O_DIRECTORY);
  // Other systems have no path of an open folder. There, programs run in the virtual machine of a container engine.
  const inside = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : path;
  return {
    entries: () => readdir(inside, { withFileTypes: true, encoding: "buffer" }),
    stat: (name) => lstatSync(join(inside, name), { bigint: true }),
    target: (name) => readlinkSync(join(inside, name), { encoding: "buffer" }),
    folder: (name) => openUntrusted(join(inside, name)),
    async file(name) {
      const file = await withRights(join(inside, name), 0o400, (found) => open(found, readOnly));
      if ((await file.stat()).isFile()) return file;
      await file.close();
      throw new Error(`${JSON.stringify(name)} is not a regular file any more`);
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/**
 * Opens what the program may have made unreadable. `needed`: permissions without which it cannot be opened. Where the program
 * was the same user, the service gives them to itself; elsewhere, it is root, or has them already.
 */
async function withRights<Opened>(
  path: string,
  needed: number,
  opened: (path: string) => Promise<Opened>,
): Promise<Opened> {
  const { uid, mode } = lstatSync(path); // of a link: all permissions
  if (uid === process.getuid?.() && (mode & needed) !== needed) chmodSync(path, 0o700);
  return opened(path);
}

/** Opens a file by its path below a folder, each part of which is a name. */
export async function openFileBelow(folder: UntrustedFolder, path: string): Promise<FileHandle> {
  const [name = "", ...rest] = path.split("/");
  if (rest.length === 0) return folder.file(name);
  await using inner = await folder.folder(name);
  return await openFileBelow(inner, rest.join("/"));
}

const partBytes = 1024 * 1024;

/** The content of a file from its start. Each part is valid until the next one is read. */
export async function* partsOf(file: FileHandle): AsyncGenerator<Buffer> {
  const { size } = await file.stat();
  const buffer = Buffer.allocUnsafe(Math.min(partBytes, size + 1)); // the last read finds the end
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

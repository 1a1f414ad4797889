import { InvalidArgument } from "./errors.ts";
import type { Bytes } from "./types.ts";

/** A file for a run: a path (Node), a browser's `File`, or a name with the content. */
export type FileInput = string | File | { name: string; content: string | Uint8Array | Blob };

export interface NamedBytes {
  name: string;
  bytes: Bytes;
}

export async function readFiles(files: readonly FileInput[]): Promise<NamedBytes[]> {
  return Promise.all(
    files.map(async (file) => {
      if (typeof file === "string") return readPath(file);
      const content = file instanceof Blob ? file : file.content;
      return { name: file.name, bytes: await bytesOf(content) };
    }),
  );
}

async function bytesOf(content: string | Uint8Array | Blob): Promise<Bytes> {
  if (typeof content === "string") return new TextEncoder().encode(content);
  return new Uint8Array(content instanceof Blob ? await content.arrayBuffer() : content);
}

async function readPath(path: string): Promise<NamedBytes> {
  const { fs, path: paths } = nodeModules();
  return { name: paths.basename(path), bytes: new Uint8Array(await fs.readFile(path)) };
}

/** Writes a file. In a folder, it gets `name`, with sub-folders as in the name. Resolves with its path. */
export async function writeBytes(to: string, name: string, bytes: Uint8Array): Promise<string> {
  const { fs } = nodeModules();
  const isFolder = await fs.stat(to).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const path = isFolder ? await makePlace(to, name) : to;
  await fs.writeFile(path, bytes);
  return path;
}

/**
 * Makes the folders of `name` in a folder, and resolves with the path of the file in them. Rejects for a name that would
 * leave the folder: by its parts, or because a part is a symbolic link.
 */
async function makePlace(folder: string, name: string): Promise<string> {
  const { fs, path: paths } = nodeModules();
  const parts = name.split("/");
  const isPlain = parts.every((part) => part !== "" && part !== "." && part !== ".." && !part.includes("\0"));
  const path = paths.join(folder, ...parts);
  // On Windows, a part with a backslash or a drive has several parts.
  if (!isPlain || paths.relative(folder, path) !== parts.join(paths.sep)) throw outside(folder, name);
  for (let count = 1; count <= parts.length; count++) {
    const place = paths.join(folder, ...parts.slice(0, count));
    if (count < parts.length) await fs.mkdir(place).catch(unlessExists);
    const found = await fs.lstat(place).catch(unlessMissing);
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

/** Not imported, so that bundlers for browsers do not look for them. */
function nodeModules() {
  const { process } = globalThis;
  if (process?.getBuiltinModule) {
    return { fs: process.getBuiltinModule("node:fs/promises"), path: process.getBuiltinModule("node:path") };
  }
  throw new InvalidArgument(
    "paths of files need Node.js 20.16 or newer; in a browser, pass File objects or { name, content }",
  );
}

export function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return btoa(binary);
}

/** SHA-256 in hex digits. */
export async function sha256(bytes: Bytes): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

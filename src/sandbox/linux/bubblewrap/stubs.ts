import { contentName } from "../../../filenames.ts";
import { tarEnd, tarHeader, tarPadding } from "../../../tar-format.ts";
import { foldersOf } from "../lay-out.ts";
import type { StoredFile } from "../linux-types.ts";

const kilobyte = 1024;

/** Files up to this size are always copied: a stub takes as long, 40 µs. */
const smallBytes = 64 * kilobyte;
/**
 * Bytes of the larger files that are copied into memory, the smallest first. 1 MB takes 0.4 ms, and 1 to 2 ms on a busy machine:
 * with 32 MB, a workspace of 200 MB costs about 50 ms.
 */
export const copiedBytes = 32 * kilobyte * kilobyte;

/**
 * Which files are copied into the memory of a program, and which are stubs: a stub has a content of the store below it, which
 * is read when the program reads it. `maxBytes`: of the copied files that are not small; Infinity: all are copied.
 */
export function splitFiles(
  files: readonly StoredFile[],
  maxBytes: number,
): { copied: StoredFile[]; stubs: StoredFile[] } {
  let bytesLeft = maxBytes;
  const stubs = new Set<StoredFile>();
  for (const file of files.toSorted((a, b) => a.size - b.size)) {
    // An overlay would make a hard link a file of its own at the first write.
    if (file.size <= smallBytes || file.linked !== undefined) continue;
    if (file.size > bytesLeft) stubs.add(file);
    else bytesLeft -= file.size;
  }
  return { copied: files.filter((file) => !stubs.has(file)), stubs: [...stubs] };
}

/** The records of the folders that stubs are in. */
export function foldersWith(stubs: readonly StoredFile[], files: readonly StoredFile[]): StoredFile[] {
  const folders = foldersOf(stubs);
  return files.filter(({ name, kind }) => kind === "folder" && folders.has(name));
}

/** Bytes of a page and of a block of a tmpfs. */
const pageBytes = 4 * kilobyte;

/** Bytes and inodes that files take in a tmpfs. `written`: the files whose contents are in it. */
export function memoryOf(
  files: readonly StoredFile[],
  written: readonly StoredFile[],
): { bytes: number; inodes: number } {
  const folders = foldersOf(files);
  return {
    bytes: written.reduce((sum, { size }) => sum + Math.ceil(size / pageBytes) * pageBytes, 0),
    inodes: files.length + 2 * folders.size, // a folder with stubs is in both layers
  };
}

/**
 * A tar archive with an empty file for each stub, named after its place in the list: 0, 1, 2 … Its extended attributes tell
 * the overlay which file of a data-only layer has the content (kernel: Documentation/filesystems/overlayfs.rst, "Data-only
 * lower layers"). tar sets them, because Node cannot. `attributes`: the kernel reads `user` in a user namespace, and `trusted`
 * if root mounts.
 */
export function stubArchive(stubs: readonly StoredFile[], attributes: "user" | "trusted"): Buffer {
  const blocks = stubs.flatMap(({ sha256 }, number) => {
    const values = { metacopy: "", redirect: `/${contentName(sha256)}` };
    const records = Object.entries(values).map(([key, value]) =>
      paxRecord(`SCHILY.xattr.${attributes}.overlay.${key}`, value),
    );
    const attributesOfFile = Buffer.from(records.join(""));
    const [size, mode] = [attributesOfFile.length, 0o644];
    return [
      tarHeader({ path: "pax", size, mode, type: "x" }),
      attributesOfFile,
      tarPadding(size),
      tarHeader({ path: String(number), size: 0, mode, type: "0" }),
    ];
  });
  return Buffer.concat([...blocks, tarEnd]);
}

/** A record has its own length in front, which counts itself. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length++;
  return `${length}${rest}`;
}

import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";

/** A temporary file that holds a request body while it is received. */
export interface SpoolFile {
  append: (chunks: Buffer[]) => Promise<void>;
  /** Returns the content in a buffer of `size` bytes, which may be longer than the file. */
  read: (size: number) => Promise<Buffer<ArrayBuffer>>;
  close: () => Promise<void>;
}

/**
 * Creates an empty directory for spool files that only this user can open. Removes files that an earlier process left
 * there, which it does only if it was killed between creating and unlinking one.
 */
export function createSpoolDirectory(path: string): string {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

/**
 * Opens a new spool file with mode 0600. Its name is removed at once, so that the operating system frees the space when
 * the file is closed or the process ends, however it ends.
 */
export async function openSpoolFile(directory: string): Promise<SpoolFile> {
  const path = join(directory, randomUUID());
  const file = await open(path, "wx+", 0o600);
  try {
    await unlink(path);
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    append: async (chunks) => {
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
      const { bytesWritten } = await file.writev(chunks);
      if (bytesWritten < bytes) throw Object.assign(new Error("the file was written in part"), { code: "ENOSPC" });
    },
    read: (size) => readAll(file, size),
    close: () => file.close(),
  };
}

async function readAll(file: FileHandle, size: number): Promise<Buffer<ArrayBuffer>> {
  // `allocUnsafeSlow`: not from the shared pool, so its memory is returned to the system when the buffer is collected.
  const content = Buffer.allocUnsafeSlow(size);
  let position = 0;
  for (;;) {
    const { bytesRead } = await file.read(content, position, size - position, position);
    if (bytesRead === 0) return content;
    position += bytesRead;
  }
}

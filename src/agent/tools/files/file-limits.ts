import type { FileInfo } from "./files.ts";

/** What a workspace may have. */
export interface FileLimits {
  /** Number of files. */
  files: number;
  /** Bytes of all files together. Old versions do not count. */
  bytes: number;
  /** Bytes of one file. */
  fileBytes: number;
  /** The quota that leaves least. `bytes`: as above, with what it leaves. Absent: none. */
  quota?: { scope: string; limit: number; bytes: number };
}

const megabyte = 1024 * 1024;

export const defaultFileLimits: FileLimits = { files: 2_000, bytes: 1024 * megabyte, fileBytes: 200 * megabyte };

/** Number and bytes of the files of a workspace. */
export interface FileTotals {
  files: number;
  bytes: number;
}

/**
 * Why the limits do not allow to write a file, for the model. Undefined: they do. `before`: bytes of the file that it
 * replaces. A file that makes the workspace no larger is accepted also when the workspace exceeds its limits.
 */
export function limitProblem(
  { name, size }: FileInfo,
  before: number | undefined,
  totals: FileTotals,
  limits: FileLimits,
): string | undefined {
  const file = JSON.stringify(name);
  if (size > limits.fileBytes && size > (before ?? 0)) {
    return `${file} has ${size} bytes; a file of the workspace has at most ${limits.fileBytes}. Write several smaller files.`;
  }
  if (before === undefined && totals.files >= limits.files) {
    return (
      `The workspace has ${totals.files} files; at most ${limits.files} are accepted. ` +
      "Replace or delete an existing file, or put several into one archive."
    );
  }
  const bytes = totals.bytes - (before ?? 0) + size;
  if (bytes <= totals.bytes) return undefined;
  if (limits.quota && bytes > limits.quota.bytes) {
    const { scope, limit } = limits.quota;
    return (
      `With ${file} (${size} bytes), the files of the ${scope}'s runs would have ${limit - limits.quota.bytes + bytes} bytes ` +
      `together; at most ${limit} are accepted (maxStoredBytes). Delete files that are no longer needed, or write less.`
    );
  }
  if (bytes <= limits.bytes) return undefined;
  return (
    `With ${file} (${size} bytes), the workspace would have ${bytes} bytes; at most ${limits.bytes} are accepted. ` +
    "Delete files that are no longer needed."
  );
}

import type { Files } from "../agent/tools/files.ts";
import { ServiceError } from "../errors.ts";
import { safeFilenames } from "../filenames.ts";
import type { Workspace } from "./ports.ts";

/** Combined decoded size of a create's files, in bytes: 10 MiB (specification section 8). */
export const maxTotalFileBytes = 10 * 1024 * 1024;

/** A file as it was sent. */
export interface FileInput {
  filename: string;
  content_base64: string;
}

/**
 * Decodes files one by one in order; the first that is not strict base64, or that takes the total over 10 MiB, is
 * refused. Each text is dropped from `files` once it is decoded, so that a body is not held twice.
 */
export function decodeFiles(files: FileInput[]): { name: string; content: Uint8Array }[] {
  const safeName = safeFilenames();
  let total = 0;
  return files.map((file) => {
    const content = decodeBase64(file.content_base64);
    if (!content) throw new ServiceError("file_not_base64", `file '${file.filename}' is not valid base64`);
    total += content.length;
    if (total > maxTotalFileBytes)
      throw new ServiceError("files_too_large", "total file size exceeds the allowed limit");
    file.content_base64 = "";
    return { name: safeName(file.filename), content };
  });
}

/**
 * Standard base64 with padding, accepted as Python's `b64decode(validate=True)` accepts it: no white space, no
 * URL-safe alphabet; non-zero trailing bits pass. Stricter in one thing: padding after a whole group ("QUJD=") is none.
 * Undefined when it is anything else.
 */
export function decodeBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || text.includes("-") || text.includes("_")) return undefined;
  // Buffer.from folds two-byte characters into their low byte ("QUJŁ" would decode), so only ASCII may reach it.
  if (Buffer.byteLength(text) !== text.length) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = Buffer.from(text, "base64");
  // Node skips what is not base64 and stops at "=": whatever it passed over makes the result shorter.
  return bytes.length === (text.length / 4) * 3 - padding ? bytes : undefined;
}

/**
 * A run's workspace as its agent's tools see it. From the signal's abort on nothing is written: the run was stopped, or
 * is another worker's, and its files may be gone for good.
 */
export function filesOf(workspace: Workspace, runId: string, signal: AbortSignal): Files {
  return {
    list: () => workspace.list(runId),
    read: (name) => workspace.read(runId, name),
    async write(name, content) {
      signal.throwIfAborted();
      await workspace.write(runId, [{ name, content }]);
    },
  };
}

import { filesTooLarge, ServiceError } from "../errors.ts";
import { safeFilenames } from "../filenames.ts";

/** Combined decoded size of a create's files, in bytes: 10 MiB (specification section 8). */
export const maxTotalFileBytes = 10 * 1024 * 1024;

/** A file of a create request. */
export interface FileInput {
  filename: string;
  content_base64: string;
}

/**
 * Decodes files in order. Throws for the first that is not strict base64, or that takes the total over 10 MiB. Each
 * decoded text is removed from `files`, so that memory does not hold the content twice.
 */
export function decodeFiles(files: FileInput[]): { name: string; content: Uint8Array }[] {
  const safeName = safeFilenames();
  let total = 0;
  return files.map((file) => {
    const content = decodeBase64(file.content_base64);
    if (!content) throw new ServiceError("file_not_base64", `file '${file.filename}' is not valid base64`);
    total += content.length;
    if (total > maxTotalFileBytes) throw new ServiceError("files_too_large", filesTooLarge);
    file.content_base64 = "";
    return { name: safeName(file.filename), content };
  });
}

/**
 * Decodes standard base64 with padding, as Python's `b64decode(validate=True)` does: no white space, no URL-safe
 * alphabet; non-zero trailing bits are accepted. Stricter in one case: padding after a whole group ("QUJD=") is invalid.
 * Undefined: the text is invalid.
 */
export function decodeBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || text.includes("-") || text.includes("_")) return undefined;
  // Buffer.from reduces two-byte characters to their low byte ("QUJŁ" would decode), so only ASCII is passed on.
  if (Buffer.byteLength(text) !== text.length) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = Buffer.from(text, "base64");
  // Node skips invalid characters and stops at "=", which makes the result shorter.
  return bytes.length === (text.length / 4) * 3 - padding ? bytes : undefined;
}

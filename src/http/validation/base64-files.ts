import { ServiceError } from "../../errors.ts";
import type { Upload } from "../../runs/files/uploads.ts";

/** A file in the body of a create. */
export interface FileInput {
  filename: string;
  content_base64: string;
}

/**
 * The files of a create. Each is decoded when its content is read, and its text is then removed from `files`, so that
 * memory does not hold the content twice. Content that is not strict base64 throws a ServiceError.
 */
export function base64Uploads(files: FileInput[]): Upload[] {
  return files.map((file) => ({
    name: file.filename,
    content() {
      const content = decodeBase64(file.content_base64);
      if (!content) throw new ServiceError("file_not_base64", `file '${file.filename}' is not valid base64`);
      file.content_base64 = "";
      return content;
    },
  }));
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

import type { DecodedFile, TextFile } from "./encoding/decode-text.ts";

/** Kinds of documents whose text can be read. `zip`: an Office document, or another ZIP archive. `html` is UTF-8. */
export type DocumentKind = "pdf" | "zip" | "rtf" | "eml" | "html";

/** The kind of a document by its first bytes, and of an email by its name. Undefined for other files, such as HTML. */
export function documentKind(
  name: string,
  bytes: Uint8Array,
  content: DecodedFile | TextFile,
): DocumentKind | undefined {
  if (rtf.every((byte, index) => bytes[index] === byte)) return "rtf";
  if (!("binary" in content)) return /\.eml$/i.test(name) ? "eml" : undefined;
  if (content.mediaType === "application/pdf") return "pdf";
  return content.mediaType === "application/zip" ? "zip" : undefined;
}

/** `{\rtf` */
const rtf = [0x7b, 0x5c, 0x72, 0x74, 0x66];

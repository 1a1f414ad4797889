import { guessLegacyEncoding, guessUtf16 } from "./guess-encoding.ts";

/**
 * Text of a file, without its byte order mark. `guessed`: its encoding, when it is not UTF-8 and has no mark. For a
 * binary file, its kind.
 */
export type DecodedFile = { text: string; guessed?: string } | { binary: string; mediaType?: string };

/** Decodes the text of a file. */
export function decodeText(bytes: Uint8Array): DecodedFile {
  for (const [encoding, mark] of byteOrderMarks) {
    if (startsWith(bytes, mark)) return { text: new TextDecoder(encoding).decode(bytes) };
  }
  const known = signatures.find(({ signature }) => startsWith(bytes, signature));
  if (known) return { binary: known.kind, ...(known.mediaType !== undefined && { mediaType: known.mediaType }) };
  if (startsWith(bytes, riff) && startsWith(bytes.subarray(8), webp)) {
    return { binary: "a WebP image", mediaType: "image/webp" };
  }
  if (bytes.includes(0)) return guessUtf16(bytes) ?? { binary: "a binary file" };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    const controls = bytes.some((byte) => byte < 32 && !textControls.has(byte));
    return controls ? { binary: "a binary file" } : guessLegacyEncoding(bytes);
  }
}

function startsWith(bytes: Uint8Array, signature: number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}

const byteOrderMarks: [encoding: string, mark: number[]][] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

const signatures: { kind: string; mediaType?: string; signature: number[] }[] = [
  { kind: "a PDF document", mediaType: "application/pdf", signature: [0x25, 0x50, 0x44, 0x46] },
  { kind: "a PNG image", mediaType: "image/png", signature: [0x89, 0x50, 0x4e, 0x47] },
  { kind: "a JPEG image", mediaType: "image/jpeg", signature: [0xff, 0xd8, 0xff] },
  { kind: "a GIF image", mediaType: "image/gif", signature: [0x47, 0x49, 0x46, 0x38] },
  { kind: "a ZIP archive or Office document", mediaType: "application/zip", signature: [0x50, 0x4b, 0x03, 0x04] },
  { kind: "an empty ZIP archive", mediaType: "application/zip", signature: [0x50, 0x4b, 0x05, 0x06] },
  {
    kind: "an old Office document (DOC, XLS, PPT, MSG) or one with a password",
    signature: [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
  },
  { kind: "a gzip archive", mediaType: "application/gzip", signature: [0x1f, 0x8b] },
];

const riff = [0x52, 0x49, 0x46, 0x46];
const webp = [0x57, 0x45, 0x42, 0x50];

// Tab, line feed, form feed, carriage return, escape.
const textControls = new Set([9, 10, 12, 13, 27]);

/** Decodes the text of a file, without its byte order mark. For a binary file, returns its kind. */
export function decodeText(bytes: Uint8Array): { text: string } | { binary: string; mediaType?: string } {
  for (const [encoding, mark] of byteOrderMarks) {
    if (startsWith(bytes, mark)) return { text: new TextDecoder(encoding).decode(bytes) };
  }
  const known = signatures.find(({ signature }) => startsWith(bytes, signature));
  if (known) return { binary: known.kind, mediaType: known.mediaType };
  if (startsWith(bytes, riff) && startsWith(bytes.subarray(8), webp)) {
    return { binary: "a WebP image", mediaType: "image/webp" };
  }
  if (bytes.includes(0)) return { binary: "a binary file" };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    // Old spreadsheets and editors write Windows-1252. A file with control characters is not text.
    const controls = bytes.some((byte) => byte < 32 && !textControls.has(byte));
    return controls ? { binary: "a binary file" } : { text: new TextDecoder("windows-1252").decode(bytes) };
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

const signatures: { kind: string; mediaType: string; signature: number[] }[] = [
  { kind: "a PDF document", mediaType: "application/pdf", signature: [0x25, 0x50, 0x44, 0x46] },
  { kind: "a PNG image", mediaType: "image/png", signature: [0x89, 0x50, 0x4e, 0x47] },
  { kind: "a JPEG image", mediaType: "image/jpeg", signature: [0xff, 0xd8, 0xff] },
  { kind: "a GIF image", mediaType: "image/gif", signature: [0x47, 0x49, 0x46, 0x38] },
  {
    kind: "a ZIP archive (Office documents are ZIP archives)",
    mediaType: "application/zip",
    signature: [0x50, 0x4b, 0x03, 0x04],
  },
  { kind: "a gzip archive", mediaType: "application/gzip", signature: [0x1f, 0x8b] },
];

const riff = [0x52, 0x49, 0x46, 0x46];
const webp = [0x57, 0x45, 0x42, 0x50];

// Tab, line feed, form feed, carriage return, escape.
const textControls = new Set([9, 10, 12, 13, 27]);

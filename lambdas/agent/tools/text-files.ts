import { workspaceLimits } from "./definitions.ts";

/** The text of a file, or what kind of file it is when it holds none. A byte order mark is not part of the text. */
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
    // Old spreadsheets and editors write Windows-1252. Control characters tell that it is no text at all.
    const controls = bytes.some((byte) => byte < 32 && !textControls.has(byte));
    return controls ? { binary: "a binary file" } : { text: new TextDecoder("windows-1252").decode(bytes) };
  }
}

/**
 * Some lines of a text, below a heading that says which, and a note how to go on when there is more. `offset` and
 * `column` count from 1; `problem` is a sentence when they are beyond the text.
 */
export function excerpt(
  name: string,
  text: string,
  {
    offset = 1,
    limit = workspaceLimits.defaultLines,
    column = 1,
  }: { offset?: number; limit?: number; column?: number },
): { text: string } | { problem: string } {
  if (text === "") return { text: `${name}: empty, 0 lines` };
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const first = lines[offset - 1];
  if (first === undefined) {
    return { problem: `offset ${offset} is beyond the end of ${name}: it has ${lines.length} lines.` };
  }
  if (column > Math.max(first.length, 1)) {
    return {
      problem: `column ${column} is beyond the end of line ${offset} of ${name}: it has ${first.length} characters.`,
    };
  }

  const shown = [first.slice(column - 1)];
  let left = workspaceLimits.readCharacters - (shown[0]?.length ?? 0);
  for (const line of lines.slice(offset, offset - 1 + limit)) {
    left -= line.length + 1;
    if (left < 0) break;
    shown.push(line);
  }
  const last = offset - 1 + shown.length;
  const heading = `${name}: lines ${offset} to ${last} of ${lines.length}`;
  if (shown[0] !== undefined && shown[0].length > workspaceLimits.readCharacters) {
    const head = wholeCharacters(shown[0].slice(0, workspaceLimits.readCharacters));
    const next = column + head.length;
    const how = `continue with offset ${offset} and column ${next}, or with offset ${offset + 1}`;
    return { text: `${heading}\n${head}\n[Line ${offset} is cut: it has ${first.length} characters; ${how}.]` };
  }
  const more = last < lines.length ? `\n[More: continue with offset ${last + 1}.]` : "";
  return { text: `${heading}\n${shown.join("\n")}${more}` };
}

/** Without half of a surrogate pair at the end. */
function wholeCharacters(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
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
    kind: "a ZIP archive (Office documents are ZIP archives, too)",
    mediaType: "application/zip",
    signature: [0x50, 0x4b, 0x03, 0x04],
  },
  { kind: "a gzip archive", mediaType: "application/gzip", signature: [0x1f, 0x8b] },
];

const riff = [0x52, 0x49, 0x46, 0x46];
const webp = [0x57, 0x45, 0x42, 0x50];

// Tab, line feed, form feed, carriage return, escape.
const textControls = new Set([9, 10, 12, 13, 27]);

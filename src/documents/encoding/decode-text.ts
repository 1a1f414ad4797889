import { isAscii, isUtf8 } from "node:buffer";
import { guessLegacyEncoding, guessUtf16 } from "./guess-encoding.ts";
import { oldOfficeFile } from "../office/old-office.ts";
import { textParts } from "../text-parts.ts";
import { utf8Damage, type Utf8Damage } from "./utf8-damage.ts";

/** How the text of a file is written. */
interface Encoded {
  /** A label of the Encoding Standard, such as `utf-8`. */
  encoding: string;
  /** Bytes of the byte order mark, which is not a part of the text. */
  markBytes: number;
  /** The encoding, when it is not UTF-8 and has no mark. */
  guessed?: string;
  /** The encoding is UTF-8, but for these bytes. The text has U+FFFD for them. */
  damage?: Utf8Damage;
}

/** Text of a file. */
export interface TextFile extends Encoded {
  /** See `textParts`. It can be read more than once. */
  parts: Iterable<string>;
  /** All characters are ASCII. */
  isAscii: boolean;
}

/** A file that is not text, and its kind. `reader`: a sentence that says what reads such files. */
export interface BinaryFile {
  binary: string;
  mediaType?: string;
  reader?: string;
}

export type DecodedFile = ({ text: string } & Encoded) | BinaryFile;

/** Decodes the text of a small file. */
export function decodeText(bytes: Uint8Array): DecodedFile {
  const file = openText(bytes);
  if ("binary" in file) return file;
  const { parts, ...encoded } = file;
  return { text: [...parts].join(""), ...encoded };
}

/** Finds the encoding of a text file. Its text is decoded when its parts are read. */
export function openText(bytes: Uint8Array): TextFile | BinaryFile {
  for (const [encoding, mark] of byteOrderMarks) {
    if (!startsWith(bytes, mark)) continue;
    const damage = encoding === "utf-8" && !isUtf8(bytes) ? utf8Damage(bytes, { isMarked: true }) : undefined;
    return { ...textFile(bytes, encoding), markBytes: mark.length, ...(damage && { damage }) };
  }
  const known = signatures.find(
    ({ signature, end = [] }) => startsWith(bytes, signature) && startsWith(bytes.subarray(-end.length), end),
  );
  if (known) {
    const { kind, mediaType, reader } = known;
    return { binary: kind, ...(mediaType !== undefined && { mediaType }), ...(reader !== undefined && { reader }) };
  }
  if (startsWith(bytes, compoundFile)) return { ...oldOfficeFile(bytes) };
  if (startsWith(bytes, riff) && startsWith(bytes.subarray(8), webp)) {
    return { binary: "a WebP image", mediaType: "image/webp" };
  }
  const hasZero = bytes.includes(0);
  if (!hasZero && isAscii(bytes)) return { ...textFile(bytes, "utf-8"), isAscii: true };
  if (!hasZero && isUtf8(bytes)) return textFile(bytes, "utf-8");
  const isText = !hasZero && !hasControls(bytes);
  const damage = isText ? utf8Damage(bytes) : undefined;
  if (damage) return { ...textFile(bytes, "utf-8"), damage };
  const guessed = hasZero ? guessUtf16(bytes) : isText ? guessLegacyEncoding(bytes) : undefined;
  return guessed === undefined ? { binary: "a binary file" } : { ...textFile(bytes, guessed), guessed };
}

function textFile(bytes: Uint8Array, encoding: string): TextFile {
  const parts = { [Symbol.iterator]: () => textParts(bytes, encoding) };
  return { encoding, parts, markBytes: 0, isAscii: false };
}

/** A loop: with a callback for each of 100 million bytes, it would take a second. */
function hasControls(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte < 32 && !textControls.has(byte)) return true;
  return false;
}

function startsWith(bytes: Uint8Array, signature: number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}

const byteOrderMarks: [encoding: string, mark: number[]][] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** `end`: the last bytes, of kinds whose first bytes can also begin a text. */
const signatures: { kind: string; mediaType?: string; reader?: string; signature: number[]; end?: number[] }[] = [
  { kind: "a PDF document", mediaType: "application/pdf", signature: [0x25, 0x50, 0x44, 0x46] },
  { kind: "a PNG image", mediaType: "image/png", signature: [0x89, 0x50, 0x4e, 0x47] },
  { kind: "a JPEG image", mediaType: "image/jpeg", signature: [0xff, 0xd8, 0xff] },
  { kind: "a GIF image", mediaType: "image/gif", signature: [0x47, 0x49, 0x46, 0x38] },
  { kind: "a ZIP archive or Office document", mediaType: "application/zip", signature: [0x50, 0x4b, 0x03, 0x04] },
  { kind: "an empty ZIP archive", mediaType: "application/zip", signature: [0x50, 0x4b, 0x05, 0x06] },
  {
    kind: "a Parquet file",
    reader: "In a Linux environment, run_python reads it with pandas.read_parquet.",
    signature: [...Buffer.from("PAR1")],
    end: [...Buffer.from("PAR1")],
  },
  {
    kind: "an SQLite database",
    reader:
      "In a Linux environment, run_python reads it with the module sqlite3, and run_shell with the command sqlite3.",
    signature: [...Buffer.from("SQLite format 3\0")],
  },
  {
    kind: "a gzip archive",
    mediaType: "application/gzip",
    reader: "run_python unpacks it with the modules gzip and tarfile.",
    signature: [0x1f, 0x8b],
  },
];

const compoundFile = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const riff = [0x52, 0x49, 0x46, 0x46];
const webp = [0x57, 0x45, 0x42, 0x50];

// Tab, line feed, form feed, carriage return, escape.
const textControls = new Set([9, 10, 12, 13, 27]);

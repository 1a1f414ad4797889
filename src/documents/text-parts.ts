import { setImmediate } from "node:timers/promises";

/** Bytes that are decoded at a time. */
const partBytes = 4 * 1024 * 1024;

/**
 * Decodes a text in parts of whole lines, so that a text of 100 MB takes little more memory than its bytes. Every part but
 * the last ends with a line feed. A line that is longer than a part is in one part. Leaves out a byte order mark. `fatal`:
 * throws a TypeError for bytes that are invalid in the encoding. The last character may be cut.
 */
export function* textParts(bytes: Uint8Array, encoding: string, { fatal = false } = {}): Generator<string> {
  const decoder = new TextDecoder(encoding, { fatal });
  let rest = "";
  for (let start = 0; start < bytes.length; start += partBytes) {
    const isLast = start + partBytes >= bytes.length;
    const text = decoder.decode(bytes.subarray(start, start + partBytes), { stream: fatal || !isLast });
    const end = isLast ? text.length : text.lastIndexOf("\n") + 1;
    const part = rest + text.slice(0, end);
    if (part !== "" && (isLast || end > 0)) yield part;
    rest = end > 0 ? text.slice(end) : part + text;
  }
}

/** Lines of a part of a text, without their line feeds. */
export function linesOf(part: string): string[] {
  const lines = part.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The length of `linesOf`, without its memory. */
export function countLines(part: string): number {
  let count = part === "" || part.endsWith("\n") ? 0 : 1;
  for (let at = part.indexOf("\n"); at >= 0; at = part.indexOf("\n", at + 1)) count++;
  return count;
}

/**
 * The lines `from` to `to` of a text as UTF-8, with their bytes, and the number of all lines. `content` is cut if there are
 * more than `maxBytes`. Other work of the process runs between the parts: one takes about 10 ms.
 */
export async function selectLines(
  parts: Iterable<string>,
  { from, to }: { from: number; to: number },
  maxBytes: number,
): Promise<{ content: Uint8Array; bytes: number; total: number }> {
  const pieces: string[] = [];
  let [total, bytes] = [0, 0];
  for (const part of parts) {
    await setImmediate();
    const count = countLines(part);
    const [first, last] = [Math.max(from - total, 1), Math.min(to - total, count)];
    total += count;
    if (first > last) continue;
    const lines = linesOf(part).slice(first - 1, last);
    const piece = first === 1 && last === count ? part : `${lines.join("\n")}\n`;
    bytes += Buffer.byteLength(piece);
    if (bytes <= maxBytes) pieces.push(piece);
  }
  return { content: Buffer.from(pieces.join("")), bytes, total };
}

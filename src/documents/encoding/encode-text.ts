/**
 * Encodes a text in an encoding that `openText` finds, without a byte order mark: the inverse of its decoding. `missing`: a
 * character that the encoding does not have.
 */
export function encodeText(text: string, encoding: string): { bytes: Uint8Array } | { missing: string } {
  if (encoding === "utf-8") return { bytes: new TextEncoder().encode(text) };
  if (encoding === "utf-16le") return { bytes: Buffer.from(text, "utf16le") };
  if (encoding === "utf-16be") return { bytes: Buffer.from(text, "utf16le").swap16() };
  const codes = codesOf(encoding);
  const bytes = new Uint8Array(text.length * 2);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = codes.get(text.charCodeAt(at));
    if (code === undefined) return { missing: String.fromCodePoint(text.codePointAt(at) ?? 0) };
    if (code > 0xff) bytes[length++] = code >> 8;
    bytes[length++] = code & 0xff;
  }
  return { bytes: bytes.subarray(0, length) };
}

const known = new Map<string, Map<number, number>>();

/** The bytes of each character of an encoding with one or two bytes per character, by UTF-16 unit. */
function codesOf(encoding: string): Map<number, number> {
  const found = known.get(encoding);
  if (found) return found;
  const codes = new Map<number, number>();
  const decoder = new TextDecoder(encoding, { fatal: true });
  const add = (code: number, bytes: number[]): void => {
    const unit = unitOf(decoder, bytes);
    if (unit !== undefined && !codes.has(unit)) codes.set(unit, code);
  };
  for (let byte = 0; byte < 0x100; byte++) add(byte, [byte]);
  if (encoding === "shift_jis") {
    // The rows ED and EE come last: they repeat characters (the Encoding Standard, index Shift_JIS pointer).
    const leads = Array.from({ length: 0x7c }, (_, index) => 0x81 + index).toSorted((a, b) => order(a) - order(b));
    for (const lead of leads) for (let trail = 0x40; trail < 0x100; trail++) add((lead << 8) | trail, [lead, trail]);
  }
  known.set(encoding, codes);
  return codes;
}

function order(lead: number): number {
  return lead === 0xed || lead === 0xee ? 0x100 + lead : lead;
}

/** Undefined: the bytes are not one character of one UTF-16 unit. */
function unitOf(decoder: InstanceType<typeof TextDecoder>, bytes: number[]): number | undefined {
  try {
    const text = decoder.decode(Uint8Array.from(bytes));
    return text.length === 1 ? text.charCodeAt(0) : undefined;
  } catch {
    return undefined;
  }
}

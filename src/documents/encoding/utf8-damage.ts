import { isAscii } from "node:buffer";

/** Bytes of a UTF-8 text that are not UTF-8. */
export interface Utf8Damage {
  /** Number of places. */
  count: number;
  /** The first places: the number of the line, from 1, and the bytes. */
  places: { line: number; bytes: Uint8Array }[];
}

const maxPlaces = 10;
/** ASCII is passed over in blocks of this size, at the speed of memory. */
const blockBytes = 65_536;

/**
 * The damage of a text that is UTF-8 in most places, such as a file to which a program appended a line in another encoding.
 * Undefined: at least as many of the bytes outside of ASCII are invalid as there are characters of UTF-8. In texts of other encodings, few pairs
 * of such bytes happen to be valid: `ß«` of Windows-1252, which `»` precedes. `isMarked`: the file has the mark of UTF-8.
 */
export function utf8Damage(bytes: Uint8Array, { isMarked = false } = {}): Utf8Damage | undefined {
  const invalid: { at: number; length: number }[] = [];
  let [valid, count] = [0, 0];
  for (let at = 0; at < bytes.length;) {
    if (at % blockBytes === 0 && isAscii(bytes.subarray(at, at + blockBytes))) {
      at += blockBytes;
      continue;
    }
    const length = sequenceLength(bytes, at);
    if (length > 1) valid++;
    else if (length < 0) {
      count++;
      if (invalid.length < maxPlaces) invalid.push({ at, length: -length });
    }
    at += Math.abs(length);
  }
  return isMarked || valid > count ? { count, places: placesOf(bytes, invalid) } : undefined;
}

/**
 * The bytes of the character at an index. Negative: so many bytes are invalid, and a decoder writes one U+FFFD for them (the
 * Encoding Standard, UTF-8 decoder).
 */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0) return -1;
  for (let index = 1; index < length; index++) {
    const [min, max] = index === 1 ? (secondBytes[first] ?? continuation) : continuation;
    const byte = bytes[at + index] ?? 0;
    if (byte < min || byte > max) return -index;
  }
  return length;
}

const continuation: [number, number] = [0x80, 0xbf];
/** No overlong forms, no surrogates, nothing above U+10FFFF. */
const secondBytes: Record<number, [number, number]> = {
  0xe0: [0xa0, 0xbf],
  0xed: [0x80, 0x9f],
  0xf0: [0x90, 0xbf],
  0xf4: [0x80, 0x8f],
};

function placesOf(bytes: Uint8Array, invalid: { at: number; length: number }[]): Utf8Damage["places"] {
  let [line, next] = [1, bytes.indexOf(10)];
  return invalid.map(({ at, length }) => {
    for (; next >= 0 && next < at; next = bytes.indexOf(10, next + 1)) line++;
    return { line, bytes: bytes.subarray(at, at + length) };
  });
}

/** Names the places, such as `line 3 (FC), line 9 (E9, E9)`: lines with their bytes in hexadecimal. */
export function damagePlaces({ count, places }: Utf8Damage): string {
  const byLine = Map.groupBy(places, ({ line }) => line);
  const named = [...byLine].map(([line, found]) => {
    const hex = found.map((each) =>
      [...each.bytes].map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(" "),
    );
    return `line ${line} (${hex.join(", ")})`;
  });
  const more = count > places.length ? `, and ${count - places.length} more places` : "";
  return `${named.join(", ")}${more}`;
}

import { textParts } from "../text-parts.ts";

// Encodings are labels of the WHATWG Encoding Standard.

/**
 * The encoding of UTF-16 without a byte order mark. Undefined for bytes that are something else. A text without any ASCII
 * character in its first megabyte, such as a space or a line end, is not recognized.
 */
export function guessUtf16(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, 1024 * 1024);
  let [first, second] = [0, 0];
  for (let index = 0; index < sample.length; index += 2) {
    if (sample[index] === 0) first++;
    if (sample[index + 1] === 0) second++;
  }
  // The zero byte of an ASCII character is the second one in little endian, and the first one in big endian.
  const guessed = second > first ? "utf-16le" : "utf-16be";
  return everyPart(bytes, guessed, (text) => !notText.test(text)) ? guessed : undefined;
}

/**
 * The encoding of a text that is not UTF-8: Shift-JIS if the result is Japanese, otherwise Windows-1252, which old
 * spreadsheets and editors write.
 */
export function guessLegacyEncoding(bytes: Uint8Array): string {
  const looksJapanese = everyPart(bytes.subarray(0, maxSampleBytes), "shift_jis", isJapanese);
  return looksJapanese && everyPart(bytes, "shift_jis", () => true) ? "shift_jis" : "windows-1252";
}

/** False if the bytes are invalid, or if Node.js was built without this encoding. The last character may be cut. */
function everyPart(bytes: Uint8Array, encoding: string, check: (text: string) => boolean): boolean {
  try {
    for (const part of textParts(bytes, encoding, { fatal: true })) if (!check(part)) return false;
    return true;
  } catch {
    return false;
  }
}

/** Control characters other than tab, line feed, form feed, carriage return and escape; characters that do not exist. */
const notText = /[\p{Cn}\p{Co}\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/u;

/**
 * Whether most of the characters outside of ASCII are in groups of Japanese ones. Windows-1252 text can be valid
 * Shift-JIS, too: its accented letters and quotation marks become single characters between Latin ones.
 */
function isJapanese(text: string): boolean {
  const others = text.match(/[^\0-\x7f]/gu)?.length ?? 0;
  const inGroups = (text.match(japaneseGroups) ?? []).reduce((sum, group) => sum + group.length, 0);
  return inGroups > others * 0.7;
}

/** The matches in a whole file of 10 MB would take 400 MB of memory. */
const maxSampleBytes = 65_536;

/** Kanji, kana, full-width forms and Japanese punctuation; half-width kana, which capital Latin letters can look like. */
const japaneseGroups = /[\p{Script=Han}\u3000-\u30ff\uff01-\uff60]{2,}|[\uff61-\uff9f]{3,}/gu;

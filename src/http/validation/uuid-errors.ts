const hyphenated = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";

/** The forms that pydantic accepts: hyphenated, 32 digits, braces, URN. Digits in any case, the prefix in lower case. */
export const uuidPattern = new RegExp(`^(?:[0-9a-fA-F]{32}|(?:urn:uuid:)?${hyphenated}|\\{${hyphenated}\\})$`);

const prefix = "urn:uuid:";
const maxLength = prefix.length + 36;
/** Positions of the hyphens in the hyphenated form. */
const hyphens = [8, 13, 18, 23] as const;

/** Converts a UUID that matches `uuidPattern` to lower case with hyphens. */
export function canonicalUuid(text: string): string {
  if (text.length === 36) return text.toLowerCase(); // only the hyphenated form has this length
  const digits = text.replace(prefix, "").replace(/[{}-]/g, "").toLowerCase();
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    "-",
  );
}

/**
 * Explains why a text is not a UUID, in the words of pydantic's parser (the Rust crate `uuid`). Lengths and positions
 * are bytes of UTF-8, counted from 0. Reproduces the parser's quirks:
 * - Only the low eight bits of a character decide what it is.
 * - Positions count from the end of the prefix if 36 bytes follow it.
 * - Otherwise the length of the last group includes prefix and braces.
 */
export function describeUuidError(text: string): string {
  const length = Buffer.byteLength(text);
  if (length > maxLength) return `invalid length: found ${length}`;
  const [digits, prefixLength] = withoutPrefix(text, length);
  const isLong = Buffer.byteLength(digits) === 36;
  let at = 0;
  const ends: number[] = [];
  for (const character of digits) {
    const low = String.fromCharCode((character.codePointAt(0) ?? 0) & 0xff);
    if (low === "-") ends.push(at);
    else if (!/[0-9a-fA-F]/.test(low)) {
      return `invalid character: found \`${character}\` at ${isLong ? at : at + prefixLength}`;
    }
    at += Buffer.byteLength(character);
  }
  if (ends.length === 0 && prefixLength === 0 && !isLong) return `invalid length: found ${length}`;
  if (ends.length !== 4) return `invalid group count: expected 5, found ${ends.length + 1}`;
  let start = 0;
  for (const [group, end] of hyphens.entries()) {
    const found = (ends[group] ?? 0) - start;
    if (found !== end - start) return `invalid group length in group ${group}: expected ${end - start}, found ${found}`;
    start = end + 1;
  }
  return `invalid group length in group 4: expected 12, found ${(isLong ? 36 : length) - start}`;
}

function withoutPrefix(text: string, length: number): [digits: string, prefixLength: number] {
  if (length === 36) return [text, 0];
  if (text.length > 1 && text.startsWith("{") && text.endsWith("}")) return [text.slice(1, -1), 1];
  return text.startsWith(prefix) ? [text.slice(prefix.length), prefix.length] : [text, 0];
}

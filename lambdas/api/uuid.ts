const hyphenated = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";

/** The forms pydantic reads: hyphenated, 32 digits, in braces, as a URN. Digits in any case, the prefix in lower case. */
export const uuidPattern = new RegExp(`^(?:[0-9a-fA-F]{32}|(?:urn:uuid:)?${hyphenated}|\\{${hyphenated}\\})$`);

const prefix = "urn:uuid:";
const longest = prefix.length + 36;
/** Where the hyphens of the hyphenated form stand. */
const hyphens = [8, 13, 18, 23] as const;

/** A UUID that fits `uuidPattern`, lower case with hyphens. */
export function canonicalUuid(text: string): string {
  const digits = text.replace(prefix, "").replace(/[{}-]/g, "").toLowerCase();
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    "-",
  );
}

/**
 * Why a text is not a UUID, in the words of pydantic's parser (the Rust crate `uuid`). Lengths and positions are bytes of
 * UTF-8, counted from 0. Its oddities are kept: a text as long as one of the forms is taken for that form, with positions
 * counted after the prefix, and elsewhere the last group's length includes prefix and braces.
 */
export function uuidProblem(text: string): string {
  const length = Buffer.byteLength(text);
  if (length > longest) return `invalid length: found ${length}`;
  const [digits, offset] = withoutPrefix(text, length);
  const found = /[^0-9a-fA-F-]/u.exec(digits);
  if (found) {
    const isForm = Buffer.byteLength(digits) === 36;
    return `invalid character: found \`${found[0]}\` at ${found.index + (isForm ? 0 : offset)}`;
  }
  const groups = digits.split("-");
  if (groups.length === 1 && offset === 0 && length !== 36) return `invalid length: found ${length}`;
  if (groups.length !== 5) return `invalid group count: expected 5, found ${groups.length}`;
  let start = 0;
  for (const [group, end] of hyphens.entries()) {
    const size = groups[group]?.length ?? 0;
    if (size !== end - start) {
      return `invalid group length in group ${group}: expected ${end - start}, found ${size}`;
    }
    start = end + 1;
  }
  return `invalid group length in group 4: expected 12, found ${length - start}`;
}

function withoutPrefix(text: string, length: number): [digits: string, offset: number] {
  if (length === 36) return [text, 0];
  if (text.length > 1 && text.startsWith("{") && text.endsWith("}")) return [text.slice(1, -1), 1];
  return text.startsWith(prefix) ? [text.slice(prefix.length), prefix.length] : [text, 0];
}

import { visible } from "./visible.ts";

const names = new Map(
  "amp& lt< gt> quot\" apos' nbsp\u00a0 copy© reg® deg° hellip… mdash— ndash– lsquo‘ rsquo’ ldquo“ rdquo” bull• times× rarr→ larr← le≤ ge≥ ne≠ euro€"
    .split(" ")
    .map((pair) => [pair.slice(0, -1), pair.slice(-1)]),
);

const reference = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,6}));/g;

/** A text with its character references replaced. Unknown ones stay. Hidden characters are shown as such. */
export function plainText(text: string): string {
  return text.replace(reference, (source, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return names.get(name) ?? source;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    if (!(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) return source;
    return visible(String.fromCodePoint(code));
  });
}

/** The address of a link to the web or to a mail address, normalized. Undefined for any other. */
export function webAddress(address: string): string | undefined {
  const url = URL.parse(plainText(address));
  return url && /^(https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}

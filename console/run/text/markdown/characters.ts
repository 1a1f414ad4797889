import { visible } from "../visible.ts";

const names = new Map(
  "amp& lt< gt> quot\" apos' nbsp\u00a0 copy© reg® deg° hellip… mdash— ndash– lsquo‘ rsquo’ ldquo“ rdquo” bull• times× rarr→ larr← le≤ ge≥ ne≠ euro€"
    .split(" ")
    .map((pair) => [pair.slice(0, -1), pair.slice(-1)]),
);

/** A character reference of HTML, at the beginning of a text. */
export const reference = /^&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,6}));/;

/** The character that a reference means. Undefined if it is unknown. Hidden characters are shown as such. */
export function referenced(text: string): string | undefined {
  const [, decimal, hexadecimal, name] = reference.exec(text) ?? [];
  if (name !== undefined) return names.get(name);
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
  if (!(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  return visible(String.fromCodePoint(code));
}

/** The address of a link to the web or to a mail address, normalized. Undefined for any other. */
export function webAddress(address: string): string | undefined {
  const url = URL.parse(
    address.replace(/\\([!-/:-@[-`{-~])/g, "$1").replace(/&#?\w{1,8};/g, (source) => referenced(source) ?? source),
  );
  return url && /^(https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}

/** The label of a reference link, as definitions are looked up. */
export function labelOf(text: string): string {
  return text.trim().replace(/\s+/g, " ").toLowerCase();
}

/**
 * Replaces secrets in a text from a server, which may repeat the request: as they are, and as JSON, URLs, base 64, hex and
 * reversed text have them. Call it before the text is cut or its white space changes, so that no part of a secret remains.
 */
export function redactSecrets(text: string, secrets: string[], replacement: string): string {
  const forms = secrets.flatMap(formsOf).filter((form) => form !== "");
  return forms.reduce((redacted, form) => redacted.replaceAll(form, replacement), text);
}

/** Characters of the shortest secret whose other forms are searched for: those of a shorter one are parts of many texts. */
const minEncodedLength = 8;

/** The longer forms first: base 64 without padding is a part of that with it. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const percent = encodeURIComponent(secret.toWellFormed());
  const plain = [secret, JSON.stringify(secret).slice(1, -1), secret.trim(), percent, bytes.toString("base64")];
  if (bytes.length < minEncodedLength) return plain;
  const hex = bytes.toString("hex");
  const form = percent.replaceAll("%20", "+");
  const allPercent = hex.replaceAll(/../g, "%$&");
  const urls = [form, allPercent, upperCase(allPercent), ...[percent, form].map(withLowerCaseCodes)];
  const reversed = [...secret].toReversed().join("");
  return [...plain, ...urls, hex, upperCase(hex), reversed, ...base64Forms(bytes)];
}

const withLowerCaseCodes = (text: string): string => text.replaceAll(/%../g, (code) => code.toLowerCase());
const upperCase = (text: string): string => text.toUpperCase();

/** Base 64 of a text that contains the bytes, at each of the three places that they can have in its groups of three. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    // The first and the last character of the part hold bits of neighbours, too.
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6)];
    return (["base64", "base64url"] as const).map((encoding) => whole.toString(encoding).slice(from, to));
  });
}

/** Characters in a row that a text must share with a content to count as a quotation of it. */
const quotationLength = 24;

/**
 * Replaces quotations of `contents` with "…" in a text from a server, which may quote prompts, outputs and files. The
 * ends of a quotation, less than `quotationLength` characters each, may remain.
 */
export function redactQuotations(text: string, contents: string[]): string {
  const startsQuotation = (index: number): boolean => {
    const part = text.slice(index, index + quotationLength);
    return part.length === quotationLength && contents.some((content) => content.includes(part));
  };
  let redacted = "";
  let index = 0;
  while (index < text.length) {
    if (startsQuotation(index)) {
      redacted += "…";
      index += quotationLength;
    } else {
      // In steps of half a quotation: every quotation of 35 characters contains a window of 24.
      redacted += text.slice(index, index + quotationLength / 2);
      index += quotationLength / 2;
    }
  }
  return redacted.replaceAll(/…+/g, "…");
}

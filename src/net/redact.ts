/**
 * Replaces secrets in a text from a server, which may repeat the request. Call it before the text is cut or its white
 * space changes, so that no part of a secret remains.
 */
export function redactSecrets(text: string, secrets: string[], replacement: string): string {
  const forms = secrets.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    secret.trim(),
    encodeURIComponent(secret.toWellFormed()),
    Buffer.from(secret).toString("base64"),
  ]);
  return forms.reduce((redacted, form) => (form === "" ? redacted : redacted.replaceAll(form, replacement)), text);
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

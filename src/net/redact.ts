/**
 * A text that a server sent, which may repeat what it was sent, with `instead` in the place of each secret. To be called
 * before the text is cut or its blanks are changed, so that no part of a secret escapes.
 */
export function redactSecrets(text: string, secrets: string[], instead: string): string {
  const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), secret.trim()]);
  return forms.reduce((clean, form) => (form === "" ? clean : clean.replaceAll(form, instead)), text);
}

/** Characters in a row that a text shares with a content before they are taken for a quotation of it. */
const quotation = 24;

/** A text that a server sent, which may quote prompts, answers and files, with "…" in the place of each quotation. */
export function redactQuotations(text: string, contents: string[]): string {
  const quoted = (at: number): boolean => {
    const part = text.slice(at, at + quotation);
    return part.length === quotation && contents.some((content) => content.includes(part));
  };
  let clean = "";
  for (let at = 0; at < text.length;) {
    // Looked at in halves: the ends of a quotation, shorter than the whole, may stay.
    const step = quoted(at) ? quotation : quotation / 2;
    clean += step === quotation ? "…" : text.slice(at, at + step);
    at += step;
  }
  return clean.replaceAll(/…+/g, "…");
}

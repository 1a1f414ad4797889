/**
 * A text that a server sent, which may repeat what it was sent, with `instead` in the place of each secret. To be called
 * before the text is cut or its blanks are changed, so that no part of a secret escapes.
 */
export function withoutSecrets(text: string, secrets: string[], instead: string): string {
  const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), secret.trim()]);
  return forms.reduce((clean, form) => (form === "" ? clean : clean.replaceAll(form, instead)), text);
}

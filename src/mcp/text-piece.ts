/** Characters of text in one result: about 12,000 tokens. Clients truncate results at 25,000 tokens and less. */
export const maxTextLength = 50_000;

/** A piece of a text from `offset` on. `next`: where it continues. Null: it ends here. A character is never cut in two. */
export function pieceOf(text: string, offset: number): { text: string; next: number | null } {
  const end = offset + maxTextLength;
  if (end >= text.length) return { text: text.slice(offset), next: null };
  const cut = isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
  return { text: text.slice(offset, cut), next: cut };
}

function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

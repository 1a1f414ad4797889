/** The first `length` UTF-16 units of a text, without half a character at the end. */
export function startOf(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  const isSplit = text.length > length && last >= 0xd800 && last < 0xdc00;
  return text.slice(0, isSplit ? length - 1 : length);
}

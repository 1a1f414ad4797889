/** Characters from which on a block of lines is complete. */
const blockCharacters = 2_000;

/** A text in blocks of whole lines. All but the last stay as they are while the text grows. */
export function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let start = 0;
  for (let end = 0; end < text.length; start = end) {
    const newline = text.indexOf("\n", start + blockCharacters);
    end = newline === -1 ? text.length : newline + 1;
    blocks.push(text.slice(start, end));
  }
  return blocks;
}

const firstPicture = 0x2400;
const deletePicture = "\u2421";

/** Control characters but line feed and tab; and characters that hide or reorder text: marks of direction, zero widths. */
const hidden =
  /[^\P{Cc}\n\t]|\u{ad}|\u{34f}|\u{61c}|[\u{115f}-\u{1160}]|[\u{17b4}-\u{17b5}]|\u{180e}|[\u{200b}-\u{200f}]|[\u{2028}-\u{202e}]|[\u{2060}-\u{206f}]|\u{3164}|\u{feff}|\u{ffa0}|[\u{e0000}-\u{e007f}]/gu;

/** Text of a run with its hidden characters shown: `ESC` as ␛, U+202E as ⟨U+202E⟩. CR LF becomes a line break. */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(hidden, symbolOf);
}

function symbolOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(firstPicture + code);
  if (code === 0x7f) return deletePicture;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** The same on one line, at most `max` characters. */
export function visibleLine(text: string, max = 300): string {
  const line = visible(text.slice(0, max * 2))
    .replace(/\s+/g, " ")
    .trim();
  return line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line;
}

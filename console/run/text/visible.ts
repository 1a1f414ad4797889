const firstPicture = 0x2400;
const deletePicture = "\u2421";

/** Control characters but line feed and tab; and characters that hide or reorder text: marks of direction, zero widths. */
const hidden =
  /[^\P{Cc}\n\t]|\u{ad}|\u{34f}|\u{61c}|[\u{115f}-\u{1160}]|[\u{17b4}-\u{17b5}]|\u{180e}|[\u{200b}-\u{200f}]|[\u{2028}-\u{202e}]|[\u{2060}-\u{206f}]|\u{3164}|\u{feff}|\u{ffa0}|[\u{e0000}-\u{e007f}]/gu;

/** Text of a run with its hidden characters shown: `ESC` as ␛, U+202E as ⟨U+202E⟩. CR LF becomes a line break. Joiners stay where text needs them. */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(hidden, symbolOf);
}

function symbolOf(character: string, offset: number, text: string): string {
  if (joins(character, text.slice(Math.max(0, offset - 8), offset), text.slice(offset + 1, offset + 3)))
    return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(firstPicture + code);
  if (code === 0x7f) return deletePicture;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

const emojiBefore = /\p{Extended_Pictographic}(?:\u{fe0f}|\p{Emoji_Modifier})?$/u;
const emojiAfter = /^\p{Extended_Pictographic}/u;

/** A letter of a script in which a joiner changes how letters connect: Arabic, Indic and others (RFC 5892, appendix A.1 and A.2). */
const joinedLetter =
  /[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Mymr}\p{scx=Khmr}]$/u;

/** Whether a character joins two emoji into one, or belongs to the spelling of a word. */
function joins(character: string, before: string, after: string): boolean {
  if (character !== "\u200c" && character !== "\u200d") return false;
  return joinedLetter.test(before) || (character === "\u200d" && emojiBefore.test(before) && emojiAfter.test(after));
}

/** The same on one line, at most `max` characters. */
export function visibleLine(text: string, max = 300): string {
  const line = visible(text.slice(0, max * 2))
    .replace(/\s+/g, " ")
    .trim();
  return line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line;
}

import { codePoint } from "dingbat-to-unicode";

const symbolFont = /^(?:symbol|webdings|wingdings(?: [23])?)$/i;

/** Whether letters of a font are pictures. */
export const isSymbolFont = (font: string): boolean => symbolFont.test(font);

/** Common replacements for rare characters that look alike: boxes and ticks of forms. */
const common: Record<string, string> = {
  "🗹": "☑",
  "🗷": "☒",
  "🗵": "☒",
  "🞎": "☐",
  "🞏": "☐",
  "🞐": "☐",
  "🗸": "✓",
  "🗴": "✗",
  "🗶": "✗",
};

/** The characters of a text in a font: letters of symbol fonts are pictures, such as the ticks of forms. */
export function symbolText(text: string, font = ""): string {
  if (!isSymbolFont(font)) return text;
  return Array.from(text, (character) => symbolOf(font, character.codePointAt(0) ?? 0) ?? character).join("");
}

/** The character that a letter of a symbol font shows. Programs store it with or without F000, a private character. */
export function symbolOf(font: string, code: number): string | undefined {
  const typeface = font.charAt(0).toUpperCase() + font.slice(1).toLowerCase();
  const found = codePoint(typeface, (code & 0xff00) === 0xf000 ? code & 0xff : code)?.string;
  return found === undefined ? undefined : (common[found] ?? found);
}

/**
 * Control characters other than line feed and tab; U+200B; line and paragraph separators; marks and controls of writing
 * direction. They could move the cursor, or hide or reorder text.
 */
const unprintable = /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Text from clients, models and servers, for a terminal. Unprintable characters become U+FFFD. */
export function printable(text: string): string {
  return text.replace(unprintable, "\ufffd");
}

/**
 * The same on one line, so that it cannot look like further lines of the program. At most `maxLength` characters. Spaces
 * are kept: names of files are copied from the output.
 */
export function printableLine(text: string, maxLength = Infinity): string {
  const line = printable(text.replace(/[\t-\r\u2028\u2029]\s*/g, " "));
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).toWellFormed()}…` : line;
}

/** JSON on one line, with unprintable characters escaped. */
export function printableJson(value: unknown): string {
  return escaped(JSON.stringify(value));
}

/** Text whose exact content matters, on one line: line ends, tabs and unprintable characters are written as `\uXXXX`. */
export function escaped(text: string): string {
  return text.replace(/[\n\t]/g, escape).replace(unprintable, escape);
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

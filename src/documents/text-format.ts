/** What changes the meaning of a text, in all formats. A text without these is shown as it is. */
export interface CharacterFormat {
  /** The document says that it is not shown: `[hidden: text]`. */
  hidden?: boolean | undefined;
  /** `~~text~~` */
  struck?: boolean | undefined;
  /** `**text**` */
  bold?: boolean | undefined;
  /** `*text*` */
  italic?: boolean | undefined;
  /** Digits have characters of their own, `10⁶` and `H₂O`; others are `<sup>th</sup>` and `<sub>max</sub>`. */
  position?: "raised" | "lowered" | undefined;
}

/** A piece of a paragraph. */
export interface TextRun {
  text: string;
  format: CharacterFormat;
}

/** From the outermost mark to the innermost. */
const marks: { of: (format: CharacterFormat) => unknown; mark: (text: string, format: CharacterFormat) => string }[] = [
  { of: ({ hidden }) => hidden ?? false, mark: (text, { hidden }) => (hidden ? hiddenText(text) : text) },
  { of: ({ struck }) => struck ?? false, mark: (text, { struck }) => (struck ? struckText(text) : text) },
  { of: ({ bold }) => bold ?? false, mark: (text, { bold }) => (bold ? wrap(text, "**") : text) },
  { of: ({ italic }) => italic ?? false, mark: (text, { italic }) => (italic ? wrap(text, "*") : text) },
  { of: ({ position }) => position, mark: (text, { position }) => (position ? shifted(text, position) : text) },
];

/** The text of runs with their marks. Runs of the same format are marked together, however the document divides them. */
export function formattedText(runs: TextRun[], level = 0): string {
  const mark = marks[level];
  if (!mark || runs.every(({ format }) => isPlain(format))) return runs.map(({ text }) => text).join("");
  const groups: TextRun[][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last?.[0] && mark.of(last[0].format) === mark.of(run.format)) last.push(run);
    else groups.push([run]);
  }
  return groups.map((group) => mark.mark(formattedText(group, level + 1), group[0]?.format ?? {})).join("");
}

function isPlain({ hidden, struck, bold, italic, position }: CharacterFormat): boolean {
  return !hidden && !struck && !bold && !italic && !position;
}

/** Marks text that a document hides, line by line: a line is also shown without the others. */
export function hiddenText(text: string): string {
  return eachLine(text, (line) => `[hidden: ${line}]`);
}

/** Marks struck-out text. */
export function struckText(text: string): string {
  return wrap(text, "~~");
}

/** Puts a mark around the text, not around the blanks before and after it. */
function wrap(text: string, before: string, after = before): string {
  return eachLine(text, (line) => before + line + after);
}

function eachLine(text: string, change: (line: string) => string): string {
  if (text.includes("\n"))
    return text
      .split("\n")
      .map((line) => eachLine(line, change))
      .join("\n");
  const trimmed = text.trim();
  if (trimmed === "") return text;
  const start = text.indexOf(trimmed);
  return text.slice(0, start) + change(trimmed) + text.slice(start + trimmed.length);
}

const plain = "0123456789+-−=()";
const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾";
const lowered = "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎";

/** Raised or lowered text. Without a mark, 10⁶ reads as 106. */
export function shifted(text: string, position: "raised" | "lowered"): string {
  const characters = position === "raised" ? raised : lowered;
  if (/^[\d+\-−=()\s]*\d[\d+\-−=()\s]*$/.test(text)) {
    return text.replaceAll(/[\d+\-−=()]/g, (character) => characters[plain.indexOf(character)] ?? character);
  }
  const tag = position === "raised" ? "sup" : "sub";
  return wrap(text, `<${tag}>`, `</${tag}>`);
}

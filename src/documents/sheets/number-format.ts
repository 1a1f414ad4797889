import { ownValue } from "../office/own-value.ts";

/** Formats of numbers in lists, by their names in Office Open XML. */
const formats: Record<string, (value: number) => string> = {
  decimal: String,
  decimalZero: (value) => String(value).padStart(2, "0"),
  lowerLetter: (value) => letters(value).toLowerCase(),
  upperLetter: letters,
  lowerRoman: (value) => roman(value).toLowerCase(),
  upperRoman: roman,
  ordinal,
  none: () => "",
};

/** A number of a list, such as `iv`. Undefined for a format that is not known. */
export function applyNumberFormat(value: number, format: string): string | undefined {
  return ownValue(formats, format)?.(value);
}

/** A to Z, then AA, BB. */
function letters(value: number): string {
  if (value < 1 || value > 780) return String(value); // no program has more
  return String.fromCharCode(65 + ((value - 1) % 26)).repeat(Math.floor((value - 1) / 26) + 1);
}

const romanDigits: [value: number, digits: string][] = [
  [1000, "M"],
  [900, "CM"],
  [500, "D"],
  [400, "CD"],
  [100, "C"],
  [90, "XC"],
  [50, "L"],
  [40, "XL"],
  [10, "X"],
  [9, "IX"],
  [5, "V"],
  [4, "IV"],
  [1, "I"],
];

function roman(value: number): string {
  if (value < 1 || value > 4_999) return String(value);
  let [text, left] = ["", value];
  for (const [each, digits] of romanDigits) {
    text += digits.repeat(Math.floor(left / each));
    left %= each;
  }
  return text;
}

function ordinal(value: number): string {
  const tens = value % 100;
  const ending = tens >= 11 && tens <= 13 ? undefined : { 1: "st", 2: "nd", 3: "rd" }[value % 10];
  return `${value}${ending ?? "th"}`;
}

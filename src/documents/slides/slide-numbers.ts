import { applyNumberFormat } from "../sheets/number-format.ts";
import { ownValue } from "../office/own-value.ts";

const maxLevel = 8;

/** Kinds of numbers of DrawingML, such as `arabicPeriod` and `alphaLcParenBoth`, and the formats that they have. */
const formats: Record<string, string> = {
  arabic: "decimal",
  alphaLc: "lowerLetter",
  alphaUc: "upperLetter",
  romanLc: "lowerRoman",
  romanUc: "upperRoman",
};

/** Numbers the paragraphs of a shape, from the events of their properties. */
export function slideNumbers() {
  let counts: number[] = [];
  let level = 0;
  let kind: { type: string; start: number } | undefined;
  return {
    /** A shape begins. */
    restart: () => void (counts = []),
    open(name: string, { lvl, type = "", startAt = "1" }: Record<string, string>): void {
      if (name === "p") [level, kind] = [0, undefined];
      if (name === "pPr") level = Math.min(Math.max(Number(lvl ?? 0) || 0, 0), maxLevel);
      if (name === "buAutoNum") kind = { type, start: Number.parseInt(startAt, 10) || 1 };
    },
    /** The level and the number of the paragraph that ends. Empty: none. */
    end(): { level: number; number: string } {
      counts = counts.slice(0, level + (kind ? 1 : 0));
      if (!kind) return { level, number: "" };
      const count = counts[level] ?? 0;
      counts[level] = count + 1;
      return { level, number: `${numberText(kind.start + count, kind.type)} ` };
    },
  };
}

function numberText(value: number, type: string): string {
  const [, kind = "", around = ""] = /^([a-z]+(?:Lc|Uc)?)(Period|ParenR|ParenBoth)?/.exec(type) ?? [];
  const format = ownValue(formats, kind);
  const text = applyNumberFormat(value, format ?? "decimal") ?? String(value);
  if (around === "ParenBoth") return `(${text})`;
  if (around === "ParenR") return `${text})`;
  return around === "Period" ? `${text}.` : text;
}

import type { CharacterFormat } from "../text-format.ts";
import { parseXml } from "../office/xml.ts";
import { ownValue } from "../office/own-value.ts";

/** What a run, or its style, says about its text. Absent: the style decides. */
export interface RunFormat extends CharacterFormat {
  /** A symbol font, in which letters are pictures: `Wingdings`. */
  font?: string;
  /** Color of the text: `FFFFFF`. */
  color?: string;
  /** The text has a background of its own. */
  isShaded?: boolean;
}

/** What a paragraph, or its style, says about it. */
export interface ParagraphFormat {
  /** 1 to 9. Absent: not a heading. */
  heading?: number;
  listId?: string;
  listLevel?: number;
  isShaded?: boolean;
}

export interface WordStyle {
  run: RunFormat;
  paragraph: ParagraphFormat;
}

/** Formats by the names of styles, with those that they are based on. */
export type WordStyles = (id: string) => WordStyle;

/** Whether a property that is present is on. */
export const isOn = (value: string | undefined) => value === undefined || !/^(?:0|false|off|none)$/.test(value);

/** Points of a text that no person reads. Word measures in half points. */
const unreadableHalfPoints = 3;

const runProperties: Record<
  string,
  (format: RunFormat, value: string | undefined, all: Record<string, string>) => void
> = {
  b: (format, value) => (format.bold = isOn(value)),
  i: (format, value) => (format.italic = isOn(value)),
  strike: (format, value) => (format.struck = isOn(value)),
  dstrike: (format, value) => (format.struck = isOn(value)),
  vanish: (format, value) => (format.hidden = isOn(value)),
  vertAlign: (format, value) =>
    (format.position = value === "superscript" ? "raised" : value === "subscript" ? "lowered" : undefined),
  color: (format, value) => (format.color = value ?? ""),
  sz: (format, value) => {
    if (Number(value) > 0 && Number(value) <= unreadableHalfPoints) format.hidden = true;
  },
  rFonts: (format, _, all) => (format.font = all["w:ascii"] ?? all["w:hAnsi"] ?? ""),
  shd: (format, _, all) => (format.isShaded = isColored(all)),
  highlight: (format, value) => (format.isShaded = isOn(value)),
};

const isColored = ({ "w:fill": fill = "auto" }: Record<string, string>) => !/^(?:auto|ffffff)$/i.test(fill);

/** Applies a property of a run to its format. Others change nothing that is shown. */
export function applyRunProperty(format: RunFormat, name: string, attributes: Record<string, string>): void {
  ownValue(runProperties, name)?.(format, attributes["w:val"], attributes);
}

/** Applies a property of a paragraph to its format. */
export function applyParagraphProperty(
  format: ParagraphFormat,
  name: string,
  attributes: Record<string, string>,
): void {
  const value = attributes["w:val"] ?? "";
  const level = Number.parseInt(value, 10) || 0;
  if (name === "outlineLvl") format.heading = level > 8 ? 0 : level + 1;
  if (name === "numId") format.listId = value;
  if (name === "ilvl") format.listLevel = level;
  if (name === "shd") format.isShaded = isColored(attributes);
}

/** Reads `styles.xml`. */
export function readStyles(xml: string | undefined): WordStyles {
  const styles = new Map<string, WordStyle & { basedOn?: string }>();
  let style: (WordStyle & { basedOn?: string }) | undefined;
  let isRun = false;
  parseXml(xml ?? "<styles/>", {
    open(name, attributes) {
      const value = attributes["w:val"] ?? "";
      if (name === "style") {
        style = { run: {}, paragraph: {} };
        styles.set(attributes["w:styleId"] ?? "", style);
      }
      if (!style) return;
      if (name === "rPr") isRun = true;
      if (name === "basedOn") style.basedOn = value;
      if (name === "name") style.paragraph = { ...headingOf(value), ...style.paragraph };
      if (isRun) applyRunProperty(style.run, name, attributes);
      else applyParagraphProperty(style.paragraph, name, attributes);
    },
    close(name) {
      if (name === "rPr") isRun = false;
      if (name === "style") style = undefined;
    },
    text() {},
  });
  const resolved = new Map<string, WordStyle>();
  return (id) => {
    const known = resolved.get(id);
    if (known) return known;
    const merged: WordStyle = { run: {}, paragraph: {} };
    const seen = new Set<string>();
    for (
      let next: string | undefined = id;
      next !== undefined && !seen.has(next) && seen.size < 50;
      next = styles.get(next)?.basedOn
    ) {
      seen.add(next);
      merged.run = { ...styles.get(next)?.run, ...merged.run };
      merged.paragraph = { ...styles.get(next)?.paragraph, ...merged.paragraph };
    }
    resolved.set(id, merged);
    return merged;
  };
}

/** Names of styles of Word are English in all languages. */
function headingOf(name: string): ParagraphFormat {
  if (/^title$/i.test(name)) return { heading: 1 };
  if (/^subtitle$/i.test(name)) return { heading: 2 };
  const [, level] = /^heading (\d)$/i.exec(name) ?? [];
  return level === undefined ? {} : { heading: Number(level) };
}

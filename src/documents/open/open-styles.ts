import { applyNumberFormat } from "../sheets/number-format.ts";
import type { CharacterFormat } from "../text-format.ts";
import { parseXml } from "../office/xml.ts";
import { ownValue } from "../office/own-value.ts";

/** A level of a numbered list, or of numbered headings. */
interface NumberedLevel {
  format: string;
  prefix: string;
  suffix: string;
  start: number;
  /** Levels whose numbers are shown: `1.2` has two. */
  shown: number;
}

/** What the styles of an OpenDocument file say about the meaning of texts. */
export interface OpenStyles {
  /** The format of texts in a style, with those that it is based on. */
  formatOf(name: string): CharacterFormat;
  /** Levels of lists, by `style level`. Those of headings have the style `outline`. */
  levels: Map<string, NumberedLevel>;
  /** Styles of slides that are not shown. */
  hiddenPages: Set<string>;
}

const numberFormats: Record<string, string> = {
  "1": "decimal",
  a: "lowerLetter",
  A: "upperLetter",
  i: "lowerRoman",
  I: "upperRoman",
};

/** Styles that a style is based on. A loop of them ends here. */
const maxParents = 50;

/** Reads the styles of `styles.xml` and `content.xml`. */
export function readOpenStyles(xmls: string[]): OpenStyles {
  const own = new Map<string, { parent: string | undefined; format: CharacterFormat }>();
  const levels: OpenStyles["levels"] = new Map();
  const hiddenPages: OpenStyles["hiddenPages"] = new Set();
  let [style, list] = ["", ""];
  const open = (name: string, attributes: Record<string, string>): void => {
    const styleName = attributes["style:name"] ?? "";
    if (name === "style") {
      style = styleName;
      own.set(style, { parent: attributes["style:parent-style-name"], format: {} });
    }
    if (name === "list-style") list = styleName;
    if (name === "outline-style") list = "outline";
    if (name === "list-level-style-number" || name === "outline-level-style") addLevel(levels, list, attributes);
    if (name === "text-properties") Object.assign(own.get(style)?.format ?? {}, formatIn(attributes));
    if (name === "drawing-page-properties" && attributes["presentation:visibility"] === "hidden")
      hiddenPages.add(style);
  };
  for (const xml of xmls) parseXml(xml, { open, close() {}, text() {} });
  const resolved = new Map<string, CharacterFormat>();
  const formatOf = (name: string): CharacterFormat => {
    const known = resolved.get(name);
    if (known) return known;
    const seen = new Set<string>();
    for (
      let next: string | undefined = name;
      next !== undefined && seen.size < maxParents;
      next = own.get(next)?.parent
    ) {
      seen.add(next);
    }
    const format = Object.assign({}, ...[...seen].toReversed().map((each) => own.get(each)?.format)) as CharacterFormat;
    resolved.set(name, format);
    return format;
  };
  return { formatOf, levels, hiddenPages };
}

function formatIn(attributes: Record<string, string>): CharacterFormat {
  const format: CharacterFormat = {};
  const line = attributes["style:text-line-through-style"] ?? attributes["style:text-line-through-type"];
  if (line !== undefined) format.struck = line !== "none";
  const position = attributes["style:text-position"];
  if (position !== undefined) {
    const shift = Number.parseFloat(position) || 0;
    if (position.startsWith("super") || shift > 0) format.position = "raised";
    else format.position = position.startsWith("sub") || shift < 0 ? "lowered" : undefined;
  }
  if (attributes["text:display"] !== undefined) format.hidden = attributes["text:display"] === "none";
  return format;
}

function addLevel(levels: OpenStyles["levels"], list: string, attributes: Record<string, string>): void {
  const format = attributes["style:num-format"] ?? "";
  if (format === "") return;
  levels.set(`${list} ${attributes["text:level"]}`, {
    format: ownValue(numberFormats, format) ?? format,
    prefix: attributes["style:num-prefix"] ?? "",
    suffix: attributes["style:num-suffix"] ?? "",
    start: Number.parseInt(attributes["text:start-value"] ?? "1", 10) || 0,
    shown: Math.min(Number.parseInt(attributes["text:display-levels"] ?? "1", 10) || 1, 10),
  });
}

/** The number of an item: `counts` has those of its level and of the levels above. Undefined: its list has bullets. */
export function openNumber({ levels }: OpenStyles, style: string, counts: number[]): string | undefined {
  const level = levels.get(`${style} ${counts.length}`);
  if (!level) return undefined;
  const from = Math.max(counts.length - level.shown, 0);
  const numbers = counts.slice(from).map((count, index) => {
    const each = levels.get(`${style} ${from + index + 1}`) ?? level;
    return applyNumberFormat(each.start + count - 1, each.format) ?? String(each.start + count - 1);
  });
  return `${level.prefix}${numbers.join(".")}${level.suffix}`.trim();
}

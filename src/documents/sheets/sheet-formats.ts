import type { Cell, CellValue, FontStyle } from "hucre";
import { format as formatNumber } from "numfmt";
import { isDurationFormat } from "./sheet-dates.ts";
import { formattedText, type CharacterFormat } from "../text-format.ts";
import { parseXml } from "../office/xml.ts";
import { readMemberText, type ZipMember } from "../zip/zip-archive.ts";

/** What the styles of an XLSX workbook say about its cells. Reading them takes an object for each cell. */
export interface WorkbookStyles {
  hasDurations: boolean;
  /** Numbers with units, codes with leading zeros, and struck-out or raised texts. */
  hasMeaning: boolean;
}

/** Formats that Office knows without being written in the file. https://ecma-international.org, ECMA-376, part 1, 18.8.30 */
const builtIn: Record<string, string> = { "9": "0%", "10": "0.00%", "12": "# ?/?", "13": "# ??/??", "46": "[h]:mm:ss" };

/** Reads what the styles of the cells of a workbook are used for. */
export async function workbookStyles(members: ZipMember[]): Promise<WorkbookStyles> {
  const found: WorkbookStyles = { hasDurations: false, hasMeaning: false };
  for (const { name } of members) {
    if (!/(^|\/)styles\.xml$/i.test(name)) continue;
    const { formats, fonts } = cellStyles((await readMemberText(members, name)) ?? "<none/>");
    found.hasDurations ||= formats.some(isDurationFormat);
    found.hasMeaning ||=
      fonts ||
      formats.length > maxFormats ||
      formats.some((each) => samples.some((value) => shownBeside(value, each) !== undefined));
  }
  return found;
}

/** Formats that are tried out. A workbook of Excel has at most some hundreds. */
const maxFormats = 1_000;

/** Characters of a format that Excel accepts. */
const maxFormat = 255;

/** Numbers whose looks tell the kinds of formats apart. */
const samples = [1_234_567.5, 0.25, 7, -7, 0];

/** The formats of numbers that cells use, and whether some have a font that changes the meaning of a text. */
function cellStyles(xml: string): { formats: string[]; fonts: boolean } {
  const codes = new Map(Object.entries(builtIn));
  const formats = new Set<string>();
  const fonts: boolean[] = [];
  let [part, hasFont] = ["", false];
  parseXml(xml, {
    open(name, attributes) {
      if (name === "fonts" || name === "cellXfs" || name === "cellStyleXfs" || name === "dxfs") part = name;
      if (name === "numFmt") codes.set(attributes["numFmtId"] ?? "", attributes["formatCode"] ?? "");
      if (name === "font" && part === "fonts") fonts.push(false);
      const isWhite = name === "color" && white.test(attributes["rgb"] ?? "");
      if ((name === "strike" || name === "vertAlign" || isWhite) && part === "fonts") fonts[fonts.length - 1] = true;
      if (name !== "xf" || part !== "cellXfs") return;
      const code = codes.get(attributes["numFmtId"] ?? "");
      if (code !== undefined) formats.add(code);
      hasFont ||= fonts[Number(attributes["fontId"] ?? 0)] ?? false;
    },
    close() {},
    text() {},
  });
  return { formats: [...formats], fonts: hasFont };
}

/** A color with or without its opacity. White text without a fill is not seen. */
const white = /^(?:ff)?ffffff$/i;

function fontFormat({ strikethrough, vertAlign }: FontStyle = {}): CharacterFormat {
  const position = vertAlign === "superscript" ? "raised" : "lowered";
  return { struck: strikethrough, position: vertAlign && position };
}

/** The value of a cell as text, with what its format and font say: `0.25 (25%)`. */
export function cellText(cell: Pick<Cell, "style" | "richText"> | undefined, value: CellValue, text: string): string {
  if (cell?.richText && typeof value === "string") {
    const { struck } = fontFormat(cell.style?.font);
    const runs = cell.richText.map(({ text: part, font }) => ({
      text: part,
      format: { struck, ...stated(fontFormat(font)) },
    }));
    return formattedText(runs);
  }
  if (!cell?.style) return text;
  const shown = typeof value === "number" ? shownBeside(value, cell.style.numFmt ?? "") : undefined;
  const whole = shown ? `${text} (${shown})` : text;
  const { font, fill } = cell.style;
  const hasFill = fill?.type === "gradient" || (fill !== undefined && fill.pattern !== "none");
  const hidden = shown === "" || (!hasFill && white.test(font?.color?.rgb ?? ""));
  return formattedText([{ text: whole, format: { ...fontFormat(font), hidden } }]);
}

/** Without what is not stated. */
function stated(format: CharacterFormat): CharacterFormat {
  return Object.fromEntries(Object.entries(format).filter(([, value]) => value !== undefined));
}

/**
 * How a format shows a number, if that says more than the number: a unit, a scale, leading zeros. Undefined: it shows the
 * number, perhaps rounded or with separators of thousands. Empty: it shows nothing.
 */
function shownBeside(value: number, code: string): string | undefined {
  if (code === "" || code.length > maxFormat || /^general$/i.test(code)) return undefined;
  const shown = formattedNumber(value, code);
  if (shown === undefined) return undefined;
  const digits = shown.replaceAll(",", "").replace(/^\((.*)\)$/, "-$1");
  if (!/^-?(?:0|[1-9]\d*)?(?:\.\d*)?(?:e[-+]?\d+)?$/i.test(digits) || digits === "") return shown;
  const decimals = /\.(\d*)/.exec(digits)?.[1]?.length ?? 0;
  const isRounded = /e/i.test(digits) || Math.abs(Number(digits) - value) <= 0.5001 * 10 ** -decimals;
  return isRounded ? undefined : shown;
}

function formattedNumber(value: number, code: string): string | undefined {
  try {
    // A currency with a language would change the separators: 1.234,50 for German.
    const neutral = code.replaceAll(/\[\$([^\]-]*)(?:-[^\]]*)?\]/g, (_, symbol: string) => symbol && `"${symbol}"`);
    return formatNumber(neutral, value, { throws: true }).replaceAll(/\s+/g, " ").trim();
  } catch {
    return undefined; // not a format
  }
}

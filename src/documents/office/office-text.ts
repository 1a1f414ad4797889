import type { MarkdownBuilder } from "../markdown.ts";
import type { CharacterFormat } from "../text-format.ts";
import { ownValue } from "./own-value.ts";

/** The marker of a paragraph: its number or bullet, and what is before it outside of tables. */
interface Marker {
  prefix: string;
  label?: string;
}

/**
 * Adds the text of Office Open XML to a builder: the comments of Word, and DrawingML, in which PowerPoint and diagrams have
 * their text. `marker`: for the paragraph that ends.
 */
export function officeXmlHandler(builder: MarkdownBuilder, marker: () => Marker = () => ({ prefix: "" })) {
  let isText = false;
  let format: CharacterFormat = {};
  const open: Record<string, (attributes: Record<string, string>) => void> = {
    t: () => (isText = true),
    r: () => (format = {}),
    fld: () => (format = {}),
    rPr: (attributes) => (format = runFormat(attributes)),
    tab: () => builder.addText("\t"),
    br: () => builder.addText(" "),
    tbl: () => builder.openTable(),
    tr: () => builder.openRow(),
  };
  const close: Record<string, () => void> = {
    t: () => (isText = false),
    p: () => {
      const { prefix, label = "" } = marker();
      builder.endParagraph(prefix, label);
    },
    tc: () => builder.endCell(),
    tbl: () => builder.closeTable(),
  };
  return {
    open: (name: string, attributes: Record<string, string> = {}) => ownValue(open, name)?.(attributes),
    close: (name: string) => ownValue(close, name)?.(),
    text(text: string) {
      if (isText) builder.addText(text, format);
    },
  };
}

/** The format of a run of DrawingML, which attributes state. `baseline`: the shift in thousandths of a percent. */
function runFormat({ strike, baseline = "0" }: Record<string, string>): CharacterFormat {
  const shift = Number.parseFloat(baseline) || 0;
  return {
    struck: strike === "sngStrike" || strike === "dblStrike",
    position: shift > 0 ? "raised" : shift < 0 ? "lowered" : undefined,
  };
}

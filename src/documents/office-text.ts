import type { MarkdownBuilder } from "./markdown.ts";
import { ownValue } from "./xml.ts";

/**
 * Adds the text of Office Open XML to a builder: Word and PowerPoint have the same elements for paragraphs and tables.
 * `prefix`: for the paragraph that ends.
 */
export function officeXmlHandler(builder: MarkdownBuilder, prefix: () => string = () => "") {
  let isText = false;
  const open: Record<string, () => void> = {
    t: () => (isText = true),
    tab: () => builder.addText("\t"),
    br: () => builder.addText(" "),
    tbl: () => builder.openTable(),
    tr: () => builder.openRow(),
  };
  const close: Record<string, () => void> = {
    t: () => (isText = false),
    p: () => builder.endParagraph(prefix()),
    tc: () => builder.endCell(),
    tbl: () => builder.closeTable(),
  };
  return {
    open: (name: string) => ownValue(open, name)?.(),
    close: (name: string) => ownValue(close, name)?.(),
    text(text: string) {
      if (isText) builder.addText(text);
    },
  };
}

import { markdownBuilder } from "./markdown.ts";
import { selectedNumbers } from "./parts.ts";
import { ownValue, parseXml, type XmlHandler } from "./xml.ts";
import { readText, type ZipMember } from "./zip-archive.ts";

/** The text of an ODT document as Markdown. Comments and deleted text are left out. */
export async function openDocumentText(members: ZipMember[]): Promise<string> {
  const [text = ""] = await readPages(members);
  return text;
}

/** The slides of an ODP presentation with their notes. `part`: numbers of slides. */
export async function openPresentationText(members: ZipMember[], part?: string): Promise<string> {
  const [, ...slides] = await readPages(members);
  return selectedNumbers(part, "slide", slides.length)
    .map((number) => `[Slide ${number} of ${slides.length}]\n${slides[number - 1]}`.trimEnd())
    .join("\n\n");
}

/** The text before the first page, which is all of an ODT document, and that of each page. */
async function readPages(members: ZipMember[]): Promise<string[]> {
  const numbered = new Set<string>();
  const reader = contentReader(numbered);
  const styles = await readText(members, "styles.xml");
  if (styles !== undefined) parseXml(styles, listStyles(numbered));
  const content = await readText(members, "content.xml");
  if (content === undefined) throw new Error("it has no content.xml");
  parseXml(content, listStyles(numbered));
  parseXml(content, reader);
  return reader.pages.map(({ text, notes }) => {
    const note = notes.toString();
    return text.toString() + (note === "" ? "" : `\n\n[Notes]\n${note}`);
  });
}

/** Adds the names of the styles of numbered lists with their levels, such as `L1 1`. */
function listStyles(numbered: Set<string>): XmlHandler {
  let style = "";
  return {
    open(name, attributes) {
      if (name === "list-style") style = attributes["style:name"] ?? "";
      const isNumbered = name === "list-level-style-number" && attributes["style:num-format"];
      if (isNumbered) numbered.add(`${style} ${attributes["text:level"]}`);
    },
    close() {},
    text() {},
  };
}

/** Elements whose text is not part of the document. */
const ignored = new Set(["annotation", "tracked-changes", "title", "desc", "note-citation", "page-number", "forms"]);

const maxSpaces = 1_000;

const newPage = () => ({ text: markdownBuilder(), notes: markdownBuilder() });

function contentReader(numbered: Set<string>) {
  const pages = [newPage()];
  const lists: { style: string; items: number }[] = [];
  let [paragraphs, ignoredDepth, footnotes, heading] = [0, 0, 0, 0];
  let [isTitle, isItemStart, isInNotes] = [false, false, false];
  const page = () => {
    const { text, notes } = pages.at(-1) ?? newPage();
    return isInNotes ? notes : text;
  };

  /** The marker of a paragraph in a list, or of a heading. */
  function prefix(): string {
    if (heading > 0) return `${"#".repeat(heading)} `;
    if (isTitle) return "# ";
    const list = lists.at(-1);
    if (!list) return "";
    const indent = "  ".repeat(Math.min(lists.length, 10) - 1);
    if (!isItemStart) return `${indent}  `;
    isItemStart = false;
    return numbered.has(`${list.style} ${lists.length}`) ? `${indent}${list.items}. ` : `${indent}- `;
  }

  function endParagraph(): void {
    if (footnotes > 0) page().addText(" ");
    else page().endParagraph(prefix());
  }

  const open: Record<string, (attributes: Record<string, string>) => void> = {
    p: () => {
      if (paragraphs++ > 0 && footnotes === 0) endParagraph();
    },
    h: (attributes) => {
      paragraphs++;
      heading = Math.min(Math.max(Number(attributes["text:outline-level"]) || 1, 1), 6);
    },
    s: (attributes) => page().addText(" ".repeat(Math.min(Number(attributes["text:c"] ?? 1) || 1, maxSpaces))),
    tab: () => page().addText("\t"),
    "line-break": () => page().addText(" "),
    list: (attributes) => lists.push({ style: attributes["text:style-name"] ?? lists.at(-1)?.style ?? "", items: 0 }),
    "list-item": () => {
      const list = lists.at(-1);
      if (list) list.items++;
      isItemStart = true;
    },
    table: () => page().openTable(),
    "table-row": () => page().openRow(),
    page: () => void pages.push(newPage()),
    notes: () => (isInNotes = true),
    frame: (attributes) => (isTitle = attributes["presentation:class"] === "title"),
    note: () => {
      if (footnotes++ === 0) page().addText(" [note: ");
    },
  };
  const close: Record<string, () => void> = {
    p: () => {
      paragraphs--;
      endParagraph();
    },
    h: () => {
      paragraphs--;
      endParagraph();
      heading = 0;
    },
    list: () => void lists.pop(),
    "table-cell": () => page().endCell(),
    "covered-table-cell": () => page().endCell(),
    table: () => page().closeTable(),
    frame: () => (isTitle = false),
    notes: () => (isInNotes = false),
    note: () => {
      if (--footnotes === 0) page().addText("]");
    },
  };
  return {
    pages,
    open(name: string, attributes: Record<string, string>) {
      if (ignored.has(name)) ignoredDepth++;
      if (ignoredDepth === 0) ownValue(open, name)?.(attributes);
    },
    close(name: string) {
      if (ignoredDepth === 0) ownValue(close, name)?.();
      if (ignored.has(name)) ignoredDepth--;
    },
    text(text: string) {
      if (ignoredDepth === 0 && paragraphs > 0) page().addText(text.replaceAll(/\s+/g, " "));
    },
  };
}

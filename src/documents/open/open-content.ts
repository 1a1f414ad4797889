import type { Ledger } from "../ledger.ts";
import { markdownBuilder } from "../markdown.ts";
import { openLists } from "./open-lists.ts";
import type { OpenStyles } from "./open-styles.ts";
import type { CharacterFormat } from "../text-format.ts";
import { ownValue } from "../office/own-value.ts";
import type { XmlHandler } from "../office/xml.ts";

/** Elements whose text is not part of the document, and what they are for the ledger. */
const ignored: Record<string, string> = {
  annotation: "comment",
  "tracked-changes": "",
  title: "",
  desc: "",
  "note-citation": "",
  forms: "",
};

const maxSpaces = 1_000;

interface Page {
  text: ReturnType<typeof markdownBuilder>;
  notes: ReturnType<typeof markdownBuilder>;
  isHidden: boolean;
}

const newPage = (isHidden = false): Page => ({ text: markdownBuilder(), notes: markdownBuilder(), isHidden });

interface Frame {
  isTitle: boolean;
  hasPicture: boolean;
  hasTable: boolean;
  object?: string;
  description: string;
}

type Attributes = Record<string, string>;

/** Reads the content of an OpenDocument file. `only`: names of elements outside of which nothing is read. */
export function openContentReader(
  styles: OpenStyles,
  objects: Map<string, string>,
  ledger: Ledger,
  only?: RegExp,
): XmlHandler & { pages: Page[] } {
  const reader = new OpenContent(styles, objects, ledger);
  let inside = only ? 0 : 1;
  return {
    pages: reader.pages,
    open(name, attributes) {
      if (only?.test(name)) inside++;
      if (inside > 0) reader.open(name, attributes);
    },
    close(name) {
      if (inside > 0) reader.close(name);
      if (only?.test(name)) inside--;
    },
    text: (text) => void (inside > 0 && reader.text(text)),
  };
}

class OpenContent implements XmlHandler {
  readonly pages = [newPage()];
  #styles: OpenStyles;
  #objects: Map<string, string>;
  #ledger: Ledger;
  #lists: ReturnType<typeof openLists>;
  #path: string[] = [];
  #paragraphs = 0;
  #ignoredDepth = 0;
  #footnotes = 0;
  #heading = 0;
  #isInNotes = false;
  #hiddenSections: boolean[] = [];
  /** Formats of the paragraphs and spans around the current place. */
  #formats: CharacterFormat[] = [];
  #frames: Frame[] = [];
  #changes = 0;

  constructor(styles: OpenStyles, objects: Map<string, string>, ledger: Ledger) {
    this.#styles = styles;
    this.#objects = objects;
    this.#ledger = ledger;
    this.#lists = openLists(styles);
  }

  open(name: string, attributes: Attributes): void {
    const parent = this.#path.at(-1) ?? "";
    this.#path.push(name);
    if (name === "changed-region") this.#changes++;
    if (this.#isIgnored(name, parent)) {
      const what = ownValue(ignored, name);
      if (what && this.#ignoredDepth === 0) this.#ledger.leaveOut(what);
      this.#ignoredDepth++;
    }
    if (this.#ignoredDepth === 0) ownValue(this.#opened, name)?.(attributes);
  }

  close(name: string): void {
    this.#path.pop();
    if (this.#ignoredDepth === 0) ownValue(this.#closed, name)?.();
    if (this.#isIgnored(name, this.#path.at(-1) ?? "")) this.#ignoredDepth--;
    if (name === "tracked-changes" && this.#changes > 0) {
      const count = this.#changes === 1 ? "1 tracked change is" : `${this.#changes} tracked changes are`;
      this.#ledger.say(`${count} shown as accepted, without the deleted texts.`);
    }
  }

  text(text: string): void {
    const frame = this.#frames.at(-1);
    const name = this.#path.at(-1);
    if (frame && (name === "title" || name === "desc") && this.#ignoredDepth === 1) frame.description ||= text.trim();
    const isPlaceholder = name === "page-number" && text === "<number>"; // in the notes of slides
    if (this.#ignoredDepth === 0 && this.#paragraphs > 0 && !isPlaceholder) this.#add(text.replaceAll(/\s+/g, " "));
  }

  /** A title in a line of text is a field: the title of the document. */
  #isIgnored(name: string, parent: string): boolean {
    return Object.hasOwn(ignored, name) && !(name === "title" && /^(?:p|h|span|a)$/.test(parent));
  }

  get #page() {
    const { text, notes } = this.pages.at(-1) ?? newPage();
    return this.#isInNotes ? notes : text;
  }

  #add(text: string): void {
    const format = this.#formats.at(-1) ?? {};
    this.#page.addText(text, this.#hiddenSections.includes(true) ? { ...format, hidden: true } : format);
  }

  #endParagraph(): void {
    if (this.#footnotes > 0) return this.#page.addText(" ");
    const { indent, label } = this.#lists.marker(this.#heading);
    const isTitle = this.#heading === 0 && this.#frames.some((frame) => frame.isTitle);
    const level = this.#heading || (isTitle ? 1 : 0);
    this.#page.endParagraph(level > 0 ? `${"#".repeat(level)} ` : indent, label);
  }

  #openParagraph({ "text:style-name": style = "" }: Attributes): void {
    this.#paragraphs++;
    this.#formats.push(this.#styles.formatOf(style));
  }

  #closeParagraph(): void {
    this.#paragraphs--;
    this.#endParagraph();
    this.#formats.pop();
  }

  #closeFrame(): void {
    const { hasPicture = false, object, description = "" }: Partial<Frame> = this.#frames.pop() ?? {};
    const more = description === "" ? "" : `: ${description.replaceAll(/\s+/g, " ")}`;
    const equation = this.#objects.get(object ?? "");
    if (equation) this.#add(equation);
    else if (object !== undefined) {
      this.#ledger.leaveOut("embedded object or chart", 1, "embedded objects and charts");
      this.#add(`[embedded object or chart, not read${more}]`);
    } else if (hasPicture) {
      this.#ledger.leaveOut("picture");
      if (more !== "") this.#add(`[picture${more}]`);
    }
    if (this.#paragraphs === 0) this.#page.endParagraph();
  }

  #opened: Record<string, (attributes: Attributes) => void> = {
    p: (attributes) => {
      if (this.#paragraphs > 0 && this.#footnotes === 0) this.#endParagraph();
      this.#openParagraph(attributes);
    },
    h: (attributes) => {
      this.#openParagraph(attributes);
      this.#heading = Math.min(Math.max(Number(attributes["text:outline-level"]) || 1, 1), 6);
      this.#lists.heading(this.#heading, attributes);
    },
    span: ({ "text:style-name": style = "" }) =>
      void this.#formats.push({ ...this.#formats.at(-1), ...this.#styles.formatOf(style) }),
    s: (attributes) => this.#add(" ".repeat(Math.min(Number(attributes["text:c"] ?? 1) || 1, maxSpaces))),
    tab: () => this.#add("\t"),
    "line-break": () => this.#add(" "),
    section: (attributes) => void this.#hiddenSections.push(attributes["text:display"] === "none"),
    "hidden-text": (attributes) => {
      const text = attributes["text:string-value"] ?? "";
      if (attributes["text:is-hidden"] === "true") this.#page.addText(text, { hidden: true });
    },
    "hidden-paragraph": (attributes) => {
      if (attributes["text:is-hidden"] === "true")
        this.#formats = this.#formats.map((each) => ({ ...each, hidden: true }));
    },
    list: (attributes) => this.#lists.open(attributes),
    "list-item": (attributes) => this.#lists.item(attributes),
    table: () => {
      const frame = this.#frames.at(-1);
      if (frame) frame.hasTable = true;
      this.#page.openTable();
    },
    "table-row": () => this.#page.openRow(),
    page: (attributes) =>
      void this.pages.push(newPage(this.#styles.hiddenPages.has(attributes["draw:style-name"] ?? ""))),
    notes: () => (this.#isInNotes = true),
    frame: (attributes) =>
      void this.#frames.push({
        isTitle: attributes["presentation:class"] === "title",
        hasPicture: false,
        hasTable: false,
        description: "",
      }),
    image: () => {
      const frame = this.#frames.at(-1);
      if (frame) frame.hasPicture = !frame.hasTable; // that of a table is for other software
    },
    object: (attributes) => {
      const frame = this.#frames.at(-1);
      if (frame) frame.object = (attributes["xlink:href"] ?? "").replace(/^\.\//, "");
    },
    note: () => {
      if (this.#footnotes++ === 0) this.#page.addText(" [note: ");
    },
  };

  #closed: Record<string, () => void> = {
    p: () => this.#closeParagraph(),
    h: () => {
      this.#closeParagraph();
      this.#heading = 0;
    },
    span: () => void this.#formats.pop(),
    section: () => void this.#hiddenSections.pop(),
    list: () => this.#lists.close(),
    "table-cell": () => this.#page.endCell(),
    "covered-table-cell": () => this.#page.endCell(),
    table: () => this.#page.closeTable(),
    frame: () => this.#closeFrame(),
    notes: () => (this.#isInNotes = false),
    note: () => {
      if (--this.#footnotes === 0) this.#page.addText("]");
    },
  };
}

import { mathBuilder } from "../office/equation.ts";
import type { Ledger } from "../ledger.ts";
import { symbolOf, symbolText } from "../office/symbol-fonts.ts";
import type { CharacterFormat } from "../text-format.ts";
import { wordDrawings } from "./word-drawings.ts";
import { wordFields } from "./word-fields.ts";
import { type ParagraphContext, WordStory } from "./word-story.ts";
import { applyRunProperty, isOn, type RunFormat } from "./word-styles.ts";
import { ownValue } from "../office/own-value.ts";
import type { XmlHandler } from "../office/xml.ts";

/** What the parts of one document share. */
export interface WordContext extends ParagraphContext {
  /** The number of a note, in the order in which notes are referred to. `kind`: `footnote` or `endnote`. */
  noteNumber: (kind: string, id: string) => number;
  ledger: Ledger;
}

/** What a part refers to, by relationship. */
export interface WordReferences {
  links: Map<string, string>;
  /** Texts of charts and diagrams. */
  drawings: Map<string, string>;
}

/** Elements whose content is not shown: deleted text, former formats, data of controls. */
const skipped = new Set(
  (
    "del moveFrom rPrChange pPrChange sectPrChange tblPrChange tblPrExChange tcPrChange trPrChange tblGridChange " +
    "numberingChange sdtPr sdtEndPr"
  ).split(" "),
);

type Attributes = Record<string, string>;

/** Reads a part with WordprocessingML, such as the document, a header or the notes, as Markdown. */
export class WordReader implements XmlHandler {
  /** Texts of notes by their ids. */
  readonly notes = new Map<string, string>();
  #context: WordContext;
  #references: WordReferences;
  #path: string[] = [];
  #stories: WordStory[];
  /** The depth of the element whose content is not shown. */
  #skipEnd: number | undefined;
  /** For each alternative content: whether a choice was read. */
  #choices: boolean[] = [];
  #run: RunFormat = {};
  /** Of the open run, once its properties are known. */
  #format: CharacterFormat | undefined;
  #isRowHidden = false;
  #noteId: string | undefined;
  #ruby = "";
  #links: (string | undefined)[] = [];
  #math: { builder: ReturnType<typeof mathBuilder>; depth: number } | undefined;
  #fields = wordFields((text) => this.#add(text));
  #drawings: ReturnType<typeof wordDrawings>;

  constructor(context: WordContext, references: WordReferences) {
    this.#context = context;
    this.#references = references;
    this.#stories = [new WordStory(context)];
    this.#drawings = wordDrawings(references.drawings, context.ledger, {
      add: (text) => this.#add(text),
      follow: (text) => this.#story.follow(text),
    });
  }

  /** The text of the part. */
  toString(): string {
    return this.#story.toString();
  }

  open(name: string, attributes: Attributes): void {
    const parent = this.#path.at(-1) ?? "";
    this.#path.push(name);
    if (this.#skipEnd !== undefined) return;
    if (this.#math) return this.#math.builder.open(name, attributes);
    const isProperty = !name.endsWith("Change"); // the others are former formats
    if (parent === "rPr" && isProperty) return this.#runProperty(name, attributes);
    if (parent === "trPr" && isProperty) return this.#rowProperty(name, attributes);
    if (this.#isSkipped(name)) {
      this.#skipEnd = this.#path.length - 1;
      return;
    }
    if (parent === "pPr" || parent === "numPr") this.#story.property(name, attributes);
    this.#fields.open(name, attributes);
    this.#drawings.open(name, attributes);
    // Of a paragraph, it is a position.
    if (name !== "tab" || parent === "r") ownValue(this.#opened, name)?.(attributes);
  }

  close(name: string): void {
    this.#path.pop();
    if (this.#skipEnd !== undefined) {
      if (this.#path.length === this.#skipEnd) this.#skipEnd = undefined;
      return;
    }
    if (this.#math) return this.#closeMath();
    this.#fields.close(name);
    this.#drawings.close(name);
    ownValue(this.#closed, name)?.();
  }

  text(text: string): void {
    if (this.#skipEnd !== undefined) return;
    if (this.#math) return this.#math.builder.text(text);
    const name = this.#path.at(-1);
    if (name === "t") this.#add(symbolText(text, this.#run.font));
    else if (name === "instrText") this.#fields.instruction(text);
  }

  get #story(): WordStory {
    return this.#stories.at(-1) as WordStory;
  }

  #add(text: string): void {
    if (!this.#fields.isShown()) return;
    this.#format ??= this.#story.textFormat(this.#isRowHidden ? { ...this.#run, hidden: true } : this.#run);
    this.#story.builder.addText(text, this.#format);
    this.#fields.shown(text);
  }

  #isSkipped(name: string): boolean {
    if (name === "AlternateContent") this.#choices.push(false);
    if (name !== "Choice" && name !== "Fallback") return skipped.has(name);
    // The first alternative is that of the newest software. The others have the same content.
    const isSkipped = this.#choices.at(-1) === true;
    this.#choices[this.#choices.length - 1] = true;
    return isSkipped;
  }

  /** A property of a run, or of the mark at the end of a paragraph. */
  #runProperty(name: string, attributes: Attributes): void {
    if (this.#path.at(-3) === "pPr") {
      if (isOn(attributes["w:val"])) this.#story.markProperty(name);
      return;
    }
    if (name === "rStyle") Object.assign(this.#run, this.#context.styles(attributes["w:val"] ?? "").run);
    else applyRunProperty(this.#run, name, attributes);
    this.#format = undefined;
  }

  #rowProperty(name: string, attributes: Attributes): void {
    if (name === "hidden") this.#isRowHidden = isOn(attributes["w:val"]);
    if (name === "gridBefore") this.#story.endCell(Number(attributes["w:val"]) || 0);
    if (name === "del") this.#skipEnd = this.#path.lastIndexOf("tr");
  }

  #openStory(isTextBox = false): void {
    this.#stories.push(new WordStory(this.#context, isTextBox));
  }

  #closeStory(): string {
    const text = this.#story.toString();
    if (this.#stories.length > 1) this.#stories.pop();
    this.#format = undefined;
    return text;
  }

  #closeMath(): void {
    if (!this.#math) return;
    if (this.#path.length > this.#math.depth) return this.#math.builder.close();
    const text = this.#math.builder.toString();
    this.#math = undefined;
    this.#add(text);
  }

  /** Equations and links are beside runs. */
  #endRun(): void {
    this.#run = {};
    this.#format = undefined;
  }

  #leaveOut(what: string, mark: string): void {
    this.#context.ledger.leaveOut(what);
    this.#add(mark);
  }

  #openNote = ({ "w:id": id = "", "w:type": type = "normal" }: Attributes): void => {
    this.#noteId = type === "normal" ? id : undefined;
    this.#openStory();
  };

  #closeNote = (): void => {
    const text = this.#closeStory();
    if (this.#noteId !== undefined) this.notes.set(this.#noteId, text);
  };

  #refer = (kind: string, { "w:id": id = "" }: Attributes): void => {
    this.#format = { hidden: this.#run.hidden };
    this.#add(`[^${this.#context.noteNumber(kind, id)}]`);
    this.#format = undefined;
  };

  /** What elements do when they open, by their names. */
  #opened: Record<string, (attributes: Attributes) => void> = {
    p: () => {
      this.#story.openParagraph();
      this.#endRun();
    },
    r: () => {
      this.#run = this.#story.runFormat();
      this.#format = undefined;
    },
    tab: () => this.#add("\t"),
    ptab: () => this.#add("\t"),
    br: () => this.#add("\n"),
    cr: () => this.#add("\n"),
    noBreakHyphen: () => this.#add("-"),
    sym: (attributes) => this.#add(symbol(attributes)),
    tbl: () => this.#story.openTable(),
    tr: () => {
      this.#isRowHidden = false;
      this.#story.builder.openRow();
    },
    tc: () => this.#story.openCell(),
    gridSpan: (attributes) => this.#story.spanCell(Number(attributes["w:val"])),
    txbxContent: () => this.#openStory(true),
    footnote: this.#openNote,
    endnote: this.#openNote,
    footnoteReference: (attributes) => this.#refer("footnote", attributes),
    endnoteReference: (attributes) => this.#refer("endnote", attributes),
    rt: () => this.#openStory(),
    hyperlink: (attributes) => {
      const link = this.#references.links.get(attributes["r:id"] ?? "");
      this.#links.push(link);
      if (link !== undefined) this.#add("[");
    },
    oMath: () => (this.#math = { builder: mathBuilder("oMath"), depth: this.#path.length - 1 }),
    altChunk: () => {
      this.#context.ledger.leaveOut("inserted file");
      this.#story.addBlock("[A file is inserted here, which is not read.]");
    },
    subDoc: () => this.#leaveOut("subdocument", "[subdocument, not read]"),
    contentPart: () => this.#leaveOut("ink drawing", "[ink drawing, not read]"),
  };

  /** What elements do when they close. */
  #closed: Record<string, () => void> = {
    pPr: () => this.#story.endProperties(),
    r: () => this.#endRun(),
    p: () => {
      this.#story.endParagraph();
      this.#fields.endParagraph();
    },
    tc: () => this.#story.endCell(),
    tr: () => (this.#isRowHidden = false),
    tbl: () => this.#story.builder.closeTable(),
    txbxContent: () => {
      const text = this.#closeStory();
      if (text === "") return;
      this.#story.follow(text.includes("\n") ? `[Text box]\n${text}\n[End of text box]` : `[Text box: ${text}]`);
    },
    footnote: this.#closeNote,
    endnote: this.#closeNote,
    rt: () => (this.#ruby = this.#closeStory()),
    rubyBase: () => this.#add(this.#ruby === "" ? "" : `(${this.#ruby})`),
    hyperlink: () => {
      const link = this.#links.pop();
      if (link !== undefined) this.#add(`](${link})`);
    },
    AlternateContent: () => void this.#choices.pop(),
  };
}

function symbol({ "w:font": font = "", "w:char": hex = "" }: Attributes): string {
  return symbolOf(font, Number.parseInt(hex, 16)) ?? `[symbol ${hex} of ${font}]`;
}

import { markdownBuilder } from "../markdown.ts";
import type { CharacterFormat } from "../text-format.ts";
import { applyParagraphProperty, type ParagraphFormat, type RunFormat, type WordStyles } from "./word-styles.ts";

/** What the paragraphs of one document share. */
export interface ParagraphContext {
  styles: WordStyles;
  /** Counts the next paragraph of a list. Undefined: there is no such list. */
  labelOf: (listId: string, level: number) => { label: string; level: number } | undefined;
  /** The list of the paragraphs of a style. */
  listOf: (style: string) => { listId: string; level: number } | undefined;
}

interface Paragraph {
  format: ParagraphFormat;
  style: string;
  /** The mark at its end is deleted: the next paragraph continues it. */
  isJoined: boolean;
  /** It is counted in no list. */
  isMarkHidden: boolean;
  heading: number;
  list?: { label: string; level: number } | undefined;
}

const newParagraph = (): Paragraph => ({ format: {}, style: "", isJoined: false, isMarkHidden: false, heading: 0 });

/** A table of Word has at most 63 columns. */
const maxSpan = 63;

/** Text with paragraphs and tables: the document, a header, a note or a text box. */
export class WordStory {
  readonly builder = markdownBuilder();
  /** A text box may have a background of its own. */
  readonly isTextBox: boolean;
  #context: ParagraphContext;
  #paragraph = newParagraph();
  /** Text boxes and charts, which follow the paragraph that they are in. */
  #following: string[] = [];
  #isAfterList = false;
  #span = 1;

  constructor(context: ParagraphContext, isTextBox = false) {
    this.#context = context;
    this.isTextBox = isTextBox;
  }

  openParagraph(): void {
    this.#paragraph = newParagraph();
  }

  /** Applies a property of the open paragraph. */
  property(name: string, attributes: Record<string, string>): void {
    if (name === "pStyle") this.#paragraph.style = attributes["w:val"] ?? "";
    else applyParagraphProperty(this.#paragraph.format, name, attributes);
  }

  /** Applies a property of the mark at the end of the open paragraph. */
  markProperty(name: string): void {
    if (name === "del" || name === "moveFrom") this.#paragraph.isJoined = true;
    if (name === "vanish") this.#paragraph.isMarkHidden = true;
  }

  /** All properties of the open paragraph are known. */
  endProperties(): void {
    const { format, style, isJoined, isMarkHidden } = this.#paragraph;
    const ofStyle = this.#context.styles(style).paragraph;
    this.#paragraph.heading = Math.min(format.heading ?? ofStyle.heading ?? 0, 6);
    if (isJoined || isMarkHidden) return;
    const { listId, level } = this.#context.listOf(style) ?? { listId: undefined, level: 0 };
    const id = format.listId ?? listId;
    if (id !== undefined) this.#paragraph.list = this.#context.labelOf(id, format.listLevel ?? level);
  }

  /** The format of a run that says nothing itself: that of the paragraph's style. */
  runFormat(): RunFormat {
    // Headings are bold, and are marked as headings.
    const { bold: _bold, italic: _italic, ...format } = this.#context.styles(this.#paragraph.style).run;
    return format;
  }

  /** How the text of a run is shown. White text is hidden, unless it has a background. */
  textFormat({ hidden, struck, bold, italic, position, color, isShaded }: RunFormat): CharacterFormat {
    const { format, style, heading } = this.#paragraph;
    const isOnPaper =
      !isShaded &&
      !(format.isShaded ?? this.#context.styles(style).paragraph.isShaded) &&
      !this.isTextBox &&
      !this.builder.isInTable();
    const isWhite = isOnPaper && /^ffffff$/i.test(color ?? "");
    return { hidden: hidden || isWhite, struck, bold: bold && heading === 0, italic, position };
  }

  endParagraph(): void {
    const { isJoined, heading, list } = this.#paragraph;
    if (isJoined) return;
    const isList = list !== undefined && heading === 0;
    if (!this.builder.isInTable() && !(isList && this.#isAfterList)) this.builder.addLine("");
    this.#isAfterList = isList;
    const prefix = heading > 0 ? `${"#".repeat(heading)} ` : "  ".repeat(list?.level ?? 0);
    this.builder.endParagraph(prefix, list && list.label !== "" ? `${list.label} ` : "");
    for (const text of this.#following) this.addBlock(text);
    this.#following = [];
  }

  /** Adds text that follows the open paragraph. */
  follow(text: string): void {
    this.#following.push(text);
  }

  /** Adds lines that are not a paragraph. */
  addBlock(text: string): void {
    if (!this.builder.isInTable()) this.builder.addLine("");
    this.builder.addLine(text);
    this.#isAfterList = false;
  }

  openTable(): void {
    this.builder.openTable();
    this.#isAfterList = false;
  }

  openCell(): void {
    this.#span = 1;
  }

  spanCell(columns: number): void {
    this.#span = Math.min(Math.max(columns || 1, 1), maxSpan);
  }

  /** Ends a cell. Columns that it spans are empty cells, so that those after it stay in their columns. */
  endCell(columns = this.#span): void {
    for (let column = 0; column < Math.min(columns, maxSpan); column++) this.builder.endCell();
    this.#span = 1;
  }

  toString(): string {
    for (const text of this.#following.splice(0)) this.addBlock(text);
    return this.builder.toString();
  }
}

import type { Ledger } from "../ledger.ts";
import { type MarkdownBuilder, markdownBuilder } from "../markdown.ts";
import { formatWords, type Group, ignoredGroups, leftOut, maxGroups, newGroup, secondGroups } from "./rtf-groups.ts";
import { characters, charsets, decoderOf } from "./rtf-encodings.ts";
import { isSymbolFont, symbolOf, symbolText } from "../office/symbol-fonts.ts";
import { ownValue } from "../office/own-value.ts";

/**
 * The text of an RTF document: paragraphs, the markers of lists, and tables. Instructions of fields and styles are
 * left out, pictures are counted. The time is linear in the size.
 *
 * No package replaces it: officeparser installs 150 MB for PDF and text recognition, rtf.js renders pictures and pages for a
 * browser, rtf-stream-parser reads what Outlook wraps in RTF, and rtf-parser needs iconv-lite 0.4 and readable-stream 2.
 */
export function rtfText(bytes: Uint8Array, ledger: Ledger): string {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const reader = new RtfReader(ledger);
  tokens.lastIndex = 0;
  for (let match = tokens.exec(source); match; match = tokens.exec(source)) {
    const [, word, number, hex, symbol, brace, text] = match;
    const value = number === undefined ? undefined : Number(number);
    if (word === "bin") tokens.lastIndex += Math.max(0, value ?? 0);
    else if (word !== undefined) reader.word(word, value);
    else if (hex !== undefined) reader.bytes(String.fromCharCode(Number.parseInt(hex, 16)));
    else if (symbol !== undefined) reader.symbol(symbol);
    else if (brace !== undefined) reader.brace(brace);
    else if (text !== undefined) reader.bytes(text);
  }
  return reader.end();
}

/** Control word with number, hexadecimal byte, control symbol, brace, text. Line ends between them are not text. */
const tokens = /\\([a-z]+)(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+/giu;

/** Text with paragraphs: the document, or a text box in it. */
interface Story {
  builder: MarkdownBuilder;
  /** A table is open; the next cell begins a row. */
  isTableOpen: boolean;
  isRowDone: boolean;
  /** Text boxes, which follow the paragraph that they are in. */
  boxes: string[];
}

const newStory = (): Story => ({ builder: markdownBuilder(), isTableOpen: false, isRowDone: true, boxes: [] });

/** Reads the words and texts of RTF, in their order. */
class RtfReader {
  #ledger: Ledger;
  #stories = [newStory()];
  #fonts = new Map<number, { codePage: number; name: string }>();
  #groups: Group[] = [];
  #group = newGroup();
  #codePage = 1252;
  /** Bytes that are not decoded yet: a character can have one byte in hexadecimal and one as text. */
  #pending = "";
  /** Characters to leave out, after `\u`. */
  #skipped = 0;
  #isStarred = false;
  #form = { type: 0, result: 0 };

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  word(word: string, value = 1): void {
    this.#flush();
    this.#skipped = 0;
    this.#openGroup(word);
    if (this.#group.isFontTable) this.#describeFont(word, value);
    if (word === "fftype") this.#form = { type: value, result: 0 };
    if (word === "ffdefres" || (word === "ffres" && value < 25)) this.#form.result = value; // 25: the default
    if (this.#group.isIgnored) return;
    const character = characters.get(word);
    if (character !== undefined) this.#addText(character);
    else if (Object.hasOwn(formatWords, word))
      this.#group.format = { ...this.#group.format, ...formatWords[word]?.(value) };
    else ownValue(this.#words, word)?.(value);
  }

  symbol(symbol: string): void {
    this.#flush();
    if (symbol === "*") this.#isStarred = true;
    else if (this.#group.isIgnored) return;
    else if (symbol === "\n" || symbol === "\r") this.#endParagraph();
    else if (symbol === "~") this.#addText(" ");
    else if (symbol === "_") this.#addText("-");
    else if ("\\{}".includes(symbol)) this.#addText(symbol);
  }

  brace(brace: string): void {
    this.#flush();
    this.#skipped = 0;
    this.#isStarred = false;
    if (brace === "{") {
      if (this.#groups.length >= maxGroups) throw new Error(`its groups are nested more than ${maxGroups} times`);
      this.#groups.push(this.#group);
      const { end: _end, ...inherited } = this.#group;
      this.#group = inherited;
      return;
    }
    const { end } = this.#group;
    this.#group = this.#groups.pop() ?? this.#group;
    end?.();
  }

  /** A byte for each character. */
  bytes(text: string): void {
    const font = this.#group.isFontTable ? this.#fonts.get(this.#group.font ?? -1) : undefined;
    if (font && font.name.length < 100) font.name += text;
    if (this.#group.isIgnored) return;
    const left = text.slice(this.#skipped);
    this.#skipped -= text.length - left.length;
    this.#pending += left;
  }

  end(): string {
    this.#flush();
    if (this.#story.isTableOpen) this.#story.builder.closeTable();
    this.#endParagraph();
    return this.#story.builder.toString();
  }

  get #story(): Story {
    return this.#stories.at(-1) as Story;
  }

  #leaveTable(): void {
    const story = this.#story;
    if (story.isTableOpen && !this.#group.isInTable) story.builder.closeTable();
    story.isTableOpen &&= this.#group.isInTable;
  }

  #addText(text: string): void {
    this.#leaveTable();
    if (this.#group.isDeleted) return;
    this.#story.builder.addText(text, this.#group.format);
  }

  #endParagraph(): void {
    const { builder, boxes } = this.#story;
    builder.endParagraph();
    for (const text of boxes.splice(0)) builder.addLine(text);
  }

  #fontName(): string {
    return (this.#fonts.get(this.#group.font ?? -1)?.name ?? "").split(";")[0]?.trim() ?? "";
  }

  #flush(): void {
    if (this.#pending === "") return;
    const bytes = Buffer.from(this.#pending, "latin1");
    this.#pending = "";
    const font = this.#fontName();
    const codePage = this.#fonts.get(this.#group.font ?? -1)?.codePage ?? this.#codePage;
    this.#addText(isSymbolFont(font) ? symbolText(bytes.toString("latin1"), font) : decoderOf(codePage).decode(bytes));
  }

  #enterTable(): void {
    this.#group.isInTable = true;
    const story = this.#story;
    if (!story.isTableOpen) story.builder.openTable();
    story.isTableOpen = true;
    if (story.isRowDone) story.builder.openRow();
    story.isRowDone = false;
  }

  #describeFont(word: string, value: number): void {
    if (word === "f") this.#group.font = value;
    const number = this.#group.font ?? -1;
    const font = this.#fonts.get(number) ?? { codePage: this.#codePage, name: "" };
    if (word === "f" || word === "fcharset") this.#fonts.set(number, font);
    if (word === "fcharset") font.codePage = charsets[value] ?? 1252;
  }

  #openMargin(label: string): void {
    this.#leaveTable();
    this.#story.builder.addLine(label);
    this.#group.end = () => this.#endParagraph();
  }

  #openNote(): void {
    this.#group.isIgnored = this.#groups.at(-1)?.isIgnored ?? false;
    if (this.#group.isIgnored) return;
    this.#group.format = {}; // its reference is raised
    this.#addText(" [note: ");
    this.#group.end = () => this.#story.builder.addText("]");
  }

  /** A text box is in a group that other software ignores. */
  #openTextBox(): void {
    this.#stories.push(newStory());
    Object.assign(this.#group, { isIgnored: false, isInTable: false });
    this.#group.end = () => {
      const text = this.end();
      this.#stories.pop();
      if (text !== "")
        this.#story.boxes.push(text.includes("\n") ? `[Text box]\n${text}\n[End of text box]` : `[Text box: ${text}]`);
    };
  }

  #openEquation(): void {
    this.#ledger.leaveOut("equation");
    this.#addText("[equation, not read]");
  }

  /** Handles a word that names the content of its group. */
  #openGroup(word: string): void {
    const group = this.#group;
    if (secondGroups.has(word)) group.isSecond = true;
    if (!group.isSecond) {
      if (word === "shptxt" || word === "dptxbxtext") return this.#openTextBox();
      if (word === "moMath") this.#openEquation();
      const left = ownValue(leftOut, word);
      if (left !== undefined) this.#ledger.leaveOut(left);
    }
    if (this.#isStarred || ignoredGroups.has(word)) group.isIgnored = true;
    if (word === "fonttbl") group.isFontTable = true;
    if (word === "listtext" || word === "pntext") group.isMarker = true;
    if (word === "nesttableprops") this.#endParagraph(); // the end of a row of a table within a table
    if (word === "footnote") this.#openNote();
    if (word === "formfield")
      group.end = () => this.#form.type === 1 && this.#addText(this.#form.result === 1 ? "[x]" : "[ ]");
    if (!group.isIgnored && /^(header|footer)[lrf]?$/.test(word))
      this.#openMargin(word.startsWith("h") ? "[Header]" : "[Footer]");
    this.#isStarred = false;
  }

  #words: Record<string, (value: number) => void> = {
    ansicpg: (value) => (this.#codePage = value),
    f: (value) => (this.#group.font = value),
    uc: (value) => (this.#group.fallback = Math.min(Math.max(value, 0), 100)),
    u: (value) => {
      const code = value & 0xffff;
      const isSymbol = code >= 0xf000 && code <= 0xf0ff;
      this.#addText(isSymbol ? (symbolOf(this.#fontName(), code) ?? "•") : String.fromCharCode(code));
      this.#skipped = this.#group.fallback;
    },
    plain: () => Object.assign(this.#group, { format: {}, isDeleted: false }),
    deleted: (value) => {
      this.#group.isDeleted = value !== 0;
      if (value !== 0) this.#ledger.say("Tracked changes are shown as accepted, without the deleted texts.");
    },
    par: () => this.#endParagraph(),
    sect: () => this.#endParagraph(),
    page: () => this.#endParagraph(),
    pard: () => (this.#group.isInTable &&= this.#group.isMarker),
    intbl: () => this.#enterTable(),
    cell: () => {
      this.#enterTable();
      this.#endParagraph();
      this.#story.builder.endCell();
    },
    row: () => (this.#story.isRowDone = true),
  };
}

import { markdownBuilder } from "./markdown.ts";

/**
 * The text of an RTF document: paragraphs, the markers of lists, and tables. Pictures, fields' instructions and styles are
 * left out. The time is linear in the size.
 *
 * No package replaces it: officeparser installs 150 MB for PDF and text recognition, rtf.js renders pictures and pages for a
 * browser, rtf-stream-parser reads what Outlook wraps in RTF, and rtf-parser needs iconv-lite 0.4 and readable-stream 2.
 */
export function rtfText(bytes: Uint8Array): string {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const reader = rtfReader();
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

/** Groups whose content is not text. */
const ignoredGroups = new Set(
  "fonttbl colortbl stylesheet info pict objdata themedata listtable listoverridetable revtbl datastore xe tc nonesttables".split(
    " ",
  ),
);

const characters = new Map(
  Object.entries({
    tab: "\t",
    emdash: "—",
    endash: "–",
    bullet: "•",
    lquote: "‘",
    rquote: "’",
    ldblquote: "“",
    rdblquote: "”",
    emspace: " ",
    enspace: " ",
    line: " ",
    nestcell: "\t",
  }),
);

/** Encodings of Windows code pages and of the character sets of fonts. */
const codePages: Record<number, string> = { 932: "shift_jis", 936: "gbk", 949: "euc-kr", 950: "big5", 65001: "utf-8" };
const charsets: Record<number, number> = {
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};

interface Group {
  isIgnored: boolean;
  /** In the table of fonts, `\f` begins the description of a font. */
  isFontTable: boolean;
  /** What ends the group: a header or footer is a paragraph, and a note is part of one. */
  end?: () => void;
  /** The marker of a list. It has the format of a paragraph, but is part of one. */
  isMarker: boolean;
  /** The paragraph belongs to a table. */
  isInTable: boolean;
  /** Characters for software without Unicode that follow `\u`. */
  fallback: number;
  font: number | undefined;
}

const maxGroups = 10_000;

function rtfReader() {
  const builder = markdownBuilder();
  const fontPages = new Map<number, number>();
  const groups: Group[] = [];
  let group: Group = {
    isIgnored: false,
    isFontTable: false,
    isMarker: false,
    isInTable: false,
    fallback: 1,
    font: undefined,
  };
  let codePage = 1252;
  /** Bytes that are not decoded yet: a character can have one byte in hexadecimal and one as text. */
  let pending = "";
  /** Characters to leave out, after `\u`. */
  let skipped = 0;
  let isStarred = false;
  /** A table is open; the next cell begins a row. */
  let [isTableOpen, isRowDone] = [false, true];

  function leaveTable(): void {
    if (isTableOpen && !group.isInTable) builder.closeTable();
    isTableOpen &&= group.isInTable;
  }

  function addText(text: string): void {
    leaveTable();
    builder.addText(text);
  }

  function flush(): void {
    if (pending === "") return;
    const bytes = Buffer.from(pending, "latin1");
    pending = "";
    addText(decoderOf(fontPages.get(group.font ?? -1) ?? codePage).decode(bytes));
  }

  function enterTable(): void {
    group.isInTable = true;
    if (!isTableOpen) builder.openTable();
    isTableOpen = true;
    if (isRowDone) builder.openRow();
    isRowDone = false;
  }

  function openMargin(label: string): void {
    leaveTable();
    builder.addLine(label);
    group.end = () => builder.endParagraph();
  }

  function openNote(): void {
    group.isIgnored = groups.at(-1)?.isIgnored ?? false;
    if (group.isIgnored) return;
    addText(" [note: ");
    group.end = () => builder.addText("]");
  }

  const words: Record<string, (value: number) => void> = {
    ansicpg: (value) => (codePage = value),
    f: (value) => (group.font = value),
    uc: (value) => (group.fallback = Math.min(Math.max(value, 0), 100)),
    u(value) {
      const code = value & 0xffff;
      addText(code >= 0xf000 && code <= 0xf0ff ? "•" : String.fromCharCode(code)); // bullets of symbol fonts
      skipped = group.fallback;
    },
    par: () => builder.endParagraph(),
    sect: () => builder.endParagraph(),
    page: () => builder.endParagraph(),
    pard: () => (group.isInTable &&= group.isMarker),
    intbl: enterTable,
    cell() {
      enterTable();
      builder.endCell();
    },
    row: () => (isRowDone = true),
  };

  /** Handles a word that names the content of its group. */
  function openGroup(word: string): void {
    if (isStarred || ignoredGroups.has(word)) group.isIgnored = true;
    if (word === "fonttbl") group.isFontTable = true;
    if (word === "listtext" || word === "pntext") group.isMarker = true;
    if (word === "nesttableprops") builder.endParagraph(); // the end of a row of a table within a table
    if (word === "footnote") openNote();
    if (!group.isIgnored && /^(header|footer)[lrf]?$/.test(word))
      openMargin(word.startsWith("h") ? "[Header]" : "[Footer]");
    isStarred = false;
  }

  return {
    word(word: string, value = 1): void {
      flush();
      skipped = 0;
      openGroup(word);
      if (group.isFontTable && word === "f") group.font = value;
      if (group.isFontTable && word === "fcharset") fontPages.set(group.font ?? -1, charsets[value] ?? 1252);
      if (group.isIgnored) return;
      const character = characters.get(word);
      if (character !== undefined) addText(character);
      else if (Object.hasOwn(words, word)) words[word]?.(value);
    },
    symbol(symbol: string): void {
      flush();
      if (symbol === "*") isStarred = true;
      else if (group.isIgnored) return;
      else if (symbol === "\n" || symbol === "\r") builder.endParagraph();
      else if (symbol === "~") addText(" ");
      else if (symbol === "_") addText("-");
      else if ("\\{}".includes(symbol)) addText(symbol);
    },
    brace(brace: string): void {
      flush();
      skipped = 0;
      isStarred = false;
      if (brace === "{") {
        if (groups.length >= maxGroups) throw new Error(`its groups are nested more than ${maxGroups} times`);
        groups.push(group);
        const { end: _end, ...inherited } = group;
        group = inherited;
        return;
      }
      group.end?.();
      group = groups.pop() ?? group;
    },
    /** A byte for each character. */
    bytes(text: string): void {
      if (group.isIgnored) return;
      const left = text.slice(skipped);
      skipped -= text.length - left.length;
      pending += left;
    },
    end(): string {
      flush();
      if (isTableOpen) builder.closeTable();
      return builder.toString();
    },
  };
}

/** Windows-1252 for a code page that is not known here. */
function decoderOf(codePage: number): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(codePages[codePage] ?? `windows-${codePage}`);
  } catch {
    return new TextDecoder("windows-1252");
  }
}

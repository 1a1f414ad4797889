import { describe, expect, it } from "vitest";
import type { Files } from "../../../src/agent/tools/files/files.ts";
import { uniqueNames } from "../../../src/documents/parts.ts";
import { docxOf, officeFile, pdf, zip } from "../../fixtures/documents.ts";
import { allTools, files } from "./scripted.ts";

async function run(name: string, input: object, space: Files): Promise<string> {
  const tool = allTools().find(({ definition }) => definition.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return (await tool.run(input, { files: space, signal: new AbortController().signal })).text;
}

/** What `read_file` returns for a file, without its first line. */
async function read(name: string, content: Buffer = officeFile(name), input: object = {}): Promise<string> {
  const text = await run("read_file", { name, ...input }, files({ [name]: content }));
  return text.replace(/^.*: lines \d+ to \d+ of \d+\n/, "");
}

const readPart = (name: string, part: string) => read(name, officeFile(name), { part });

/** The XML of a chart with these series. */
function chartOf(series: string): string {
  return `<c:chartSpace xmlns:c="c"><c:chart><c:plotArea><c:barChart>${series}</c:barChart></c:plotArea></c:chart></c:chartSpace>`;
}

const relationship = (id: string, of: string, target: string) =>
  `<Relationships><Relationship Id="${id}" Type="http://example.com/${of}" Target="${target}"/></Relationships>`;

/** A presentation whose slide has a chart of this XML. `type`: of its relationship. */
function pptxWith(type: string, xml: string): Buffer {
  return zip({
    "[Content_Types].xml": "<Types/>",
    "ppt/presentation.xml":
      '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="s1"/></p:sldIdLst></p:presentation>',
    "ppt/_rels/presentation.xml.rels": relationship("s1", "slide", "slides/slide1.xml"),
    "ppt/slides/slide1.xml": '<p:sld xmlns:p="p"/>',
    "ppt/slides/_rels/slide1.xml.rels": relationship("c1", type, `../charts/${type}1.xml`),
    [`ppt/charts/${type}1.xml`]: xml,
  });
}

const salesHeading = "[Sheet 1 of 3: Sales]\n|  | A | B | C | D | E | F |\n| --- | --- | --- | --- | --- | --- | --- |";

describe("read_file reads a spreadsheet", () => {
  it("with values, formulas, dates and hidden sheets", async () => {
    const text = await read("libreoffice.xlsx");
    expect(text).toContain(
      `${salesHeading}
| 1 | Product | Units | Price | Total | Sold on | Paid |
| 2 | Bolt \\| M8 | 3 | 0.5 | 1.5 [=B2*C2] | 2026-11-02 | TRUE [=TRUE()] |
| 3 | Nut<br>M8 | 200 | 0.03 | 6 [=B3*C3] | 2026-11-03 | FALSE [=FALSE()] |
| 4 | Ünïcode 日本 | 1 | 12 | 12 [=B4*C4] | 2026-11-04 | TRUE [=TRUE()] |
| 5 | Total |  |  | 19.5 [=SUM(D2:D4)] | 2026-11-22 09:30:00 | 13:45:00 |`,
    );
    expect(text).toContain("[Sheet 3 of 3: Hidden, hidden]");
    expect(text).toContain("| 1 | #DIV/0! [=1/0] |\n| 2 | 39 [=Sales!D5*2] |");
  });

  it("with formulas whose values were not stored", async () => {
    expect(await read("openpyxl.xlsx")).toContain("| 2 | Bolt \\| M8 | 3 | 0.5 | [=B2*C2] | 2026-11-02 | TRUE |");
  });

  it("with comments, links, durations, and hidden rows and columns", async () => {
    const before = "[Sheet 1 of 1: Costs]\n[Hidden in the sheet: rows 3-4; columns B.]\n|  | A | B | C | D |\n";
    const text = await read("openpyxl-review.xlsx");
    expect(text.startsWith(before)).toBe(true);
    expect(text).toContain("| 2 | Bolt | 1 | 2 | 30:05:00 |");
    const comment = "[Comment on B2 by Ada: Is this net? Ask Bob]";
    expect(text.split("\n").slice(-3)).toEqual([
      comment,
      "[Link of A3: https://example.com/nut]",
      "[Link of A5: Costs!A1]",
    ]);
    const area = await read("openpyxl-review.xlsx", undefined, { part: "Costs!A1:B2" });
    expect(area).toContain(comment);
    expect(area).not.toContain("[Link");
  });

  it("with a cell in the last row and column", async () => {
    expect(await readPart("libreoffice.xlsx", "Notes & more")).toBe(
      "[Sheet 2 of 3: Notes & more]\n[The sheet is large: formulas, comments, links and charts are not shown, and hidden rows are not marked. In a Linux environment, run_python reads them with openpyxl. Units of numbers, such as %, leading zeros and struck-out text are not shown.]\n" +
        "|  | B | XFD |\n| --- | --- | --- |\n| 3 | far |  |\n| 1048576 |  | the last cell |",
    );
  });

  it("with charts, array formulas and formatted text", async () => {
    expect(await read("xlsxwriter.xlsx")).toBe(
      `[Sheet 1 of 3: R&D 'x'!]
|  | A | D | E |
| --- | --- | --- | --- |
| 1 | plain bold | 1 [=SORT(B1:B3)] | =1+1 |
| 2 | 42 [=SUM(B1:B2*C1:C2)] | 0 |  |
| 3 | 0 | 0 |  |

[Sheet 2 of 3: Chart]
[A chart, without cells.]

[Sheet 3 of 3: Empty]
[No values.]`,
    );
    expect(await readPart("xlsxwriter.xlsx", "R&D 'x'!!E1")).toContain("\n| 1 | =1+1 |");
  });

  it("in parts: a sheet, or its cells", async () => {
    expect(await readPart("openpyxl.xlsx", "Hidden")).toBe(
      "[Sheet 3 of 3: Hidden, hidden]\n|  | A |\n| --- | --- |\n| 1 | [=1/0] |\n| 2 | [=Sales!D5*2] |\n| 3 | 0.25 (25%) |",
    );
    expect(await readPart("libreoffice.xlsx", "Sales!c2:$D$3")).toBe(
      "[Sheet 1 of 3: Sales]\n|  | C | D |\n| --- | --- | --- |\n| 2 | 0.5 | 1.5 [=B2*C2] |\n| 3 | 0.03 | 6 [=B3*C3] |",
    );
    expect(await readPart("openpyxl.xlsx", "Sale")).toMatch(
      /there is no sheet "Sale"; accepted as part: "Sales", "Notes & more", "Hidden"\.$/,
    );
  });

  it("in OpenDocument format", async () => {
    const text = await read("libreoffice.ods");
    expect(text).toContain("| 3 | Nut<br>M8 | 200 | 0.03 | 6 [=B3*C3] | 2026-11-03 | 0 [=FALSE()] |");
    expect(text).toContain("[Sheet 2 of 2: Hidden]");
    expect(await read("odfpy.ods")).toBe("[Sheet 1 of 1: Data]\n|  | A |\n| --- | --- |\n| 1 | a |\n| 2 | 2.5 |");
  });
});

describe("read_file reads a presentation", () => {
  it.each(["python-pptx.pptx", "libreoffice.pptx"])("with titles, bullets, tables and notes: %s", async (name) => {
    expect(await read(name)).toBe(
      `[Slide 1 of 3]
# Numbers

| Year | Total |
| --- | --- |
| 2026 | 4,711 \\| net |

Source: ledger

[Slide 2 of 3]
# Quarterly results
- Sales grew by 12 %
  - mostly in Japan
- Costs fell

[Notes of slide 2]
Thank the team.
Mention Kyōto.

[Slide 3 of 3]`,
    );
  });

  it("in OpenDocument format, and in parts", async () => {
    expect(await readPart("libreoffice.odp", "2-9")).toBe(
      `[Slide 2 of 3]
# Quarterly results
- Sales grew by 12 %
  - mostly in Japan
- Costs fell

[Notes]
Thank the team.
Mention Kyōto.

[Slide 3 of 3]`,
    );
    expect(await readPart("python-pptx.pptx", "3")).toBe("[Slide 3 of 3]");
    expect(await readPart("python-pptx.pptx", "4")).toMatch(/there is no slide "4"; accepted as part: "1-3"\.$/);
  });

  it.each([
    ["that is damaged", "chart", "<c:chartSpace><c:chart>", "[Chart, not read]"],
    ["of a newer kind", "chartEx", "<cx:chartSpace/>", "[Chart, not read]"],
    [
      "without saved numbers",
      "chart",
      chartOf("<c:ser/>"),
      "[Chart]\n[Its numbers were not read: none are saved with it.]",
    ],
    [
      "with many points",
      "chart",
      chartOf(
        `<c:ser><c:val><c:numRef><c:numCache>${"x"
          .repeat(502)
          .split("")
          .map((_, point) => `<c:pt idx="${point}"><c:v>7</c:v></c:pt>`)
          .join("")}</c:numCache></c:numRef></c:val></c:ser>`,
      ),
      "| 500 | 7 |\n[2 more points are not shown.]",
    ],
  ])("and says what it does not read of a chart %s", async (_, type, xml, text) => {
    const offset = text.startsWith("| 500") ? 400 : 1;
    expect(await read("deck.pptx", pptxWith(type, xml), { offset })).toContain(text);
  });

  it("with the numbers of its charts", async () => {
    expect(await read("python-pptx-charts.pptx")).toBe(
      `[Slide 1 of 3]
# Sales

[Chart: Sales by region]
|  | 2025 | 2026 |
| --- | --- | --- |
| North | 19.2 | 22.3 |
| South \\| West | 21.4 | 28.6 |
| 東 |  | 15.2 |

[Slide 2 of 3]

[Chart]
| x of Model A | Model A | x of Model B | Model B |
| --- | --- | --- | --- |
| 0.7 | 2.7 | 1.3 | 3.7 |
| 1.8 | 3.2 |  |  |

[Slide 3 of 3]

[Chart]
|  | Costs |
| --- | --- |
| 2025, H1 | 1 |
| 2025, H2 | 2 |
| 2026, H1 | 3 |
| 2026, H2 | 4 |`,
    );
  });
});

const table = "| Item | Price |\n| --- | --- |\n| Bolt \\| M8 | 0.50 |\n| Nut | 0.03 |";

describe("read_file reads a text document", () => {
  it.each(["python-docx.docx", "libreoffice.docx"])("with lists, tables, headers and footers: %s", async (name) => {
    expect(await read(name)).toBe(
      `[Header]
ACME confidential

# Contract

# Parties

Between **ACME** and Müller & Söhne <GmbH>.

1. first
2. second
- point
- sub-point

${table}

The end.

[Footer]
Contract 4711

[Footer]
Appendix`,
    );
  });

  it("in OpenDocument format", async () => {
    expect(await read("libreoffice.odt")).toBe(
      `[Header]
ACME confidential

Contract
# Parties
Between ACME and Müller & Söhne <GmbH>.
1. first
2. second
- point
- sub-point

${table}

The end.

[Footer]
Contract 4711
Appendix`,
    );
    expect(await read("odfpy.odt")).toBe(
      "# Report\nBy odfpy.\n- one\n- two\nWith a note [note: the note ] and more.\n[Not in this text: 1 comment.]",
    );
    expect(await readPart("odfpy.odt", "2")).toMatch(/; documents of this kind have no parts; read it without part\.$/);
  });

  it("with footnotes, nested lists and tables within tables", async () => {
    expect(await read("libreoffice-note.docx")).toContain("With a note[^1] and more.\n\n[^1]: the note");
    const nested = `1. one\n  1. sub\n    - deep\n2. two

| Head |  |
| --- | --- |
| a | b<br>- x |
| c<br>n1 \\| n2 |  |

End`;
    expect(await read("libreoffice-nested.docx")).toBe(nested);
    expect(await read("libreoffice-nested.odt")).toBe(nested);
    expect(await read("libreoffice-nested.rtf")).toContain("| a | b<br>•\tx |\n| c<br>n1\tn2 |");
  });

  it("in RTF", async () => {
    const text = await read("libreoffice.rtf");
    expect(text).toContain(`Between ACME and Müller & Söhne <GmbH>.\n1.\tfirst\n2.\tsecond\n•\tpoint`);
    expect(text).toContain(table);
    expect(await read("libreoffice-note.rtf")).toContain("With a note [note: \tthe note] and more.");
    expect(text).toMatch(/^\[Header\]\nACME confidential\n\[Footer\]\nContract 4711\n/);
  });

  it.each([
    [String.raw`{\rtf1\ansi\ansicpg1251 \'cf\'f0\'e8\'e2\'e5\'f2}`, "Привет"],
    [String.raw`{\rtf1{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset128 B;}}\f1 \'93\'fa\'96\'7b \f0 caf\'e9}`, "日本 café"],
    [
      String.raw`{\rtf1\uc1 \u26085?\u26412? \uc0\u8364 5{\*\generator x}{\pict\bin3 }}}}a}`,
      "日本 €5a\n[Not in this text: 1 picture.]",
    ],
    [String.raw`{\rtf1 a\\b\{c\}\~d\par e\'`, "a\\b{c} d\ne"],
  ])("in RTF with the encodings of %s", async (source, text) => {
    expect(await read("a.rtf", Buffer.from(source, "latin1"))).toBe(text);
  });
});

describe("read_file reads an email", () => {
  it("with its headers, text and attachments", async () => {
    expect(await read("python-email.eml")).toBe(
      `From: Jürgen Müller <j.mueller@example.com>
To: bob@example.com, Dörte <doerte@example.com>
Cc: carol@example.com
Date: Sun, 22 Nov 2026 09:30:00 +0000
Subject: Angebot für 日本

Attachments (read one with part):
- Angebot.docx (${officeFile("python-docx.docx").length} bytes)
- 数量.csv (19 bytes)
- attachment-3.eml (177 bytes)

Hallo Bob,

anbei das Angebot über 4.711 €.
[The HTML part has the same words as the text part, and is not shown.]`,
    );
    expect(await read("python-email-html.eml")).toMatch(
      /Subject: Only HTML\n\n# Order\n\n\| Item \| Price \|\n\| --- \| --- \|\n\| Bolt \| 0.50 \|$/,
    );
  });

  it("and its attachments", async () => {
    expect(await read("python-email-japanese.eml")).toMatch(/Subject: テスト\n.*\n- same.txt \(2\) .*\n\n本文です。$/s);
    expect(await readPart("python-email-japanese.eml", "same.txt (2)")).toBe("two\n");
    expect(await readPart("python-email.eml", "数量.csv")).toBe("[Read as shift_jis, a guess.]\n名前,数量\nボルト,3");
    expect(await readPart("python-email.eml", "Angebot.docx")).toContain(table);
    expect(await readPart("python-email.eml", "attachment-3.eml")).toMatch(/^From: carol@.*The inner message\.$/s);
  });
});

describe("read_file reads a ZIP archive", () => {
  it("as a list, and its members", async () => {
    expect(await read("python-zipfile.zip")).toBe(
      `[ZIP archive, members: 10. Read one with part.]
docs/ (0 bytes)
docs/readme.txt (22 bytes)
docs/数量.csv (19 bytes)
openpyxl.xlsx (${officeFile("openpyxl.xlsx").length} bytes)
empty.txt (0 bytes)
noise.bin (256 bytes)
twice.txt (3 bytes)
twice.txt (2) (3 bytes)
other.txt (5 bytes)
zip64.txt (5 bytes)`,
    );
    expect(await readPart("python-zipfile.zip", "docs/readme.txt")).toBe("Read me.\nSecond line.");
    expect(await readPart("python-zipfile.zip", "docs/数量.csv")).toBe(
      "[Read as shift_jis, a guess.]\n名前,数量\nボルト,3",
    );
    expect(await readPart("python-zipfile.zip", "openpyxl.xlsx")).toContain(salesHeading);
    expect(await readPart("python-zipfile.zip", "twice.txt (2)")).toBe("two");
    expect(await readPart("python-zipfile.zip", "zip64.txt")).toBe("zip64");
    expect(await readPart("python-zipfile.zip", "other.txt")).toMatch(/cannot be read: unsupported compression method/);
    expect(await readPart("python-zipfile.zip", "empty.txt")).toMatch(/this part contains no text/);
    expect(await readPart("python-zipfile.zip", "noise.bin")).toMatch(
      /noise.bin in it is a binary file of 256 bytes; only text and documents can be/,
    );
    expect(await readPart("python-zipfile.zip", "../docs/readme.txt")).toMatch(
      /there is no member.*"docs\/readme.txt"/,
    );
  });

  it("with encrypted members, and names that leave the archive", async () => {
    expect(await read("infozip-encrypted.zip")).toMatch(/\nsecret.txt \(6 bytes, encrypted\)$/);
    expect(await readPart("infozip-encrypted.zip", "secret.txt")).toMatch(/cannot be read: secret.txt is encrypted\.$/);
    const odd = zip({ "../../etc/passwd": "up", "/root": "absolute", "a\u202egpj.exe\n": "x" });
    expect(await read("odd.zip", odd)).toBe(
      "[ZIP archive, members: 3. Read one with part.]\n../../etc/passwd (2 bytes)\n/root (8 bytes)\na\\u{202e}gpj.exe\\u{a} (1 bytes)\n[Names without a mark for UTF-8 are read as UTF-8, because they are valid. Python's zipfile reads them as CP437.]",
    );
    expect(await read("odd.zip", odd, { part: "../../etc/passwd" })).toBe("up");
    expect(await read("odd.zip", odd, { part: "a\\u{202e}gpj.exe\\u{a}" })).toBe("x");
  });
});

describe("a document in another one", () => {
  it("is listed with how its own members can be read", async () => {
    const inner = zip({ "a.txt": "x" });
    expect(await read("outer.zip", zip({ "inner.zip": inner }), { part: "inner.zip" })).toBe(
      "[ZIP archive, members: 1. They can be read only after a program of run_python extracts the archive.]\na.txt (1 bytes)",
    );
    const email = zip({ "mail.eml": officeFile("python-email.eml") });
    expect(await read("outer.zip", email, { part: "mail.eml" })).toContain(
      "\nAttachments (can be read only after a program of run_python extracts the email):\n- Angebot.docx",
    );
  });

  it("has a name that no other one has", async () => {
    const names = uniqueNames(["a", "a", "a (2)", "a"]);
    expect(names).toEqual(["a", "a (2)", "a (2) (2)", "a (3)"]);
  });
});

describe("read_file with part", () => {
  it("and encoding is rejected", async () => {
    const archive = zip({ "a.txt": "x" });
    expect(await read("a.zip", archive, { part: "a.txt", encoding: "windows-1251" })).toMatch(
      /^encoding and part cannot be used together\. .* extract it with a program of run_python/,
    );
  });

  it("reads pages of a PDF", async () => {
    const pages = pdf("One.", "Two.", "Three.");
    expect(await read("a.pdf", pages, { part: "2-3" })).toBe("[Page 2 of 3]\nTwo.\n\n[Page 3 of 3]\nThree.");
    expect(await read("a.pdf", pages, { part: "7" })).toMatch(/there is no page "7"; accepted as part: "1-3"/);
    expect(await read("a.pdf", pages, { part: "1; rm" })).toMatch(/there is no page "1; rm"/);
  });

  it("says that a text file has none", async () => {
    expect(await read("a.txt", Buffer.from("x"), { part: "1" })).toBe(
      "a.txt is a text file; it has no parts. Read it without part.",
    );
  });
});

const tableCell = (content: string) => `<w:tc>${content}</w:tc>`;
const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const tableRow = (...cells: string[]) => `<w:tr>${cells.map(tableCell).join("")}</w:tr>`;

describe("a table of a Word document", () => {
  it("keeps a row across all columns", async () => {
    const title = `<w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>${paragraph("Title")}</w:tc></w:tr>`;
    const xml = `<w:tbl>${title}${tableRow(paragraph("a"), paragraph(""))}${tableRow("", paragraph("b"))}</w:tbl>`;
    expect(await read("a.docx", docxOf(xml))).toBe("| Title |  |\n| --- | --- |\n| a |  |\n|  | b |");
  });

  it("has the rows of a table within it as lines of a cell", async () => {
    const inner = `<w:tbl>${tableRow(paragraph("a"), paragraph("b") + paragraph("c"))}</w:tbl>`;
    const outer = `<w:tbl>${tableRow(paragraph("left"), inner + paragraph("right"))}</w:tbl>`;
    expect(await read("a.docx", docxOf(outer))).toBe("| left | a \\| b / c<br>right |\n| --- | --- |");
  });
});

const change = (kind: string, content: string) => `<w:${kind} w:id="1" w:author="Ada">${content}</w:${kind}>`;

describe("the review of a Word document", () => {
  const deleted = change("del", "<w:r><w:delText>old</w:delText></w:r>");
  const body = `<w:p><w:r><w:t>Price: </w:t></w:r>${deleted}${change("ins", "<w:r><w:t>new</w:t></w:r>")}</w:p>`;

  it("is named: tracked changes are accepted", async () => {
    const note = "tracked changes: shown as accepted, without the deleted texts.]";
    expect(await read("a.docx", docxOf(body))).toBe(`[2 ${note}\n\nPrice: new`);
    const moved = change("moveFrom", "<w:r><w:t>here</w:t></w:r>") + change("moveTo", "<w:r><w:t>there</w:t></w:r>");
    expect(await read("a.docx", docxOf(`<w:p>${moved}</w:p>`))).toBe(
      "[1 tracked change: shown as accepted, without the deleted texts.]\n\nthere",
    );
    expect(await read("a.docx", docxOf(paragraph("plain")))).toBe("plain");
  });

  it("has the comments with their authors", async () => {
    const namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
    const comments = `<w:comments ${namespace}>${change("comment", paragraph("Is it") + paragraph("net?"))}<w:comment w:id="2">${paragraph("Yes &lt;b&gt;")}</w:comment></w:comments>`;
    expect(await read("a.docx", docxOf(paragraph("Price"), { "word/comments.xml": comments }))).toBe(
      "Price\n\n[Comments]\nAda: Is it net?\nUnknown: Yes <b>",
    );
  });
});

describe("the encoding of a text file", () => {
  const japanese = "93fa967b8cea2c310a"; // 日本語,1 in Shift-JIS
  const latin = Buffer.from("Größe;Straße\nit’s\n".replace("’", "\x92"), "latin1");

  it.each<[string, Buffer, string, string]>([
    ["UTF-16 in little endian", Buffer.from("name,city\nAda,日本\n", "utf16le"), "name,city\nAda,日本", "utf-16le"],
    ["UTF-16 in big endian", Buffer.from("Ada,日本\n", "utf16le").swap16(), "Ada,日本", "utf-16be"],
    ["Shift-JIS", Buffer.from(japanese, "hex"), "日本語,1", "shift_jis"],
    ["Windows-1252", latin, "Größe;Straße\nit’s", "windows-1252"],
  ])("is named as a guess: %s", async (_, content, text, encoding) => {
    const note = `[Read as ${encoding}, a guess. If characters look wrong, set encoding to another one.]`;
    expect(await read("a.csv", content)).toBe(`${text}\n${note}`);
  });

  it.each(["Prénom, où, créée, À bientôt", "CAFÉ «ÉTÉ» ÄÖÜ GRÖßE", "España ¿Qué?", "Ærøskøbing åäö"])(
    "is Windows-1252 for %s",
    async (text) => {
      expect(await read("a.txt", Buffer.from(text, "latin1"))).toContain(`${text}\n[Read as windows-1252`);
    },
  );

  it("is UTF-8 where most of the file is, with the lines of other bytes named", async () => {
    const mixed = Buffer.concat([Buffer.from("Zoë\n日本\n"), Buffer.from("Müller\n", "latin1")]);
    expect(await read("a.txt", mixed)).toMatch(
      /^Zoë\n日本\nM\ufffdller\n\[The file is UTF-8, but has bytes that are not, shown as \ufffd: line 3 \(FC\)\. To read them, set encoding/,
    );
    expect(await read("a.txt", mixed, { encoding: "windows-1252", offset: 3 })).toContain("Müller");
    const quoted = Buffer.from("»Spaß« und »Gruß«, größer", "latin1"); // ß« would be UTF-8
    expect(await read("a.txt", quoted)).toContain("»Spaß« und »Gruß«, größer\n[Read as windows-1252");
  });

  it("can be set", async () => {
    const russian = Buffer.from("cff0e8e2e5f2", "hex");
    expect(await read("a.txt", russian)).toMatch(/^Ïðèâåò\n\[Read as windows-1252, a guess/);
    expect(await read("a.txt", russian, { encoding: "windows-1251" })).toBe("Привет");
    expect(await read("a.txt", russian, { encoding: "klingon" })).toMatch(/^"klingon" is not a supported encoding/);
    const email = officeFile("python-email-html.eml");
    expect(await read("a.eml", email, { encoding: "utf-8" })).toContain("Content-Transfer-Encoding:");
  });

  it("is the same for search_files, which names the guesses", async () => {
    const space = files({
      "a.csv": Buffer.from(japanese, "hex"),
      "b.csv": Buffer.from("x\n日本語\n", "utf16le"),
      "c.csv": "日本語",
    });
    expect(await run("search_files", { pattern: "日本語" }, space)).toBe(
      "a.csv:1: 日本語,1\nb.csv:2: 日本語\nc.csv:1: 日本語\n[The encoding is a guess: a.csv (shift_jis), b.csv (utf-16le).]",
    );
  });

  it("is kept by an edit, which names the guess", async () => {
    const space = files({ "a.csv": Buffer.from(japanese, "hex") });
    expect(await run("edit_file", { name: "a.csv", old_text: "1", new_text: "2" }, space)).toMatch(
      /Replaced 1 occurrence.*Its encoding was kept: shift_jis, a guess\.$/,
    );
    expect(Buffer.from(space.content.get("a.csv") ?? []).toString("hex")).toBe(japanese.replace("310a", "320a"));
  });
});

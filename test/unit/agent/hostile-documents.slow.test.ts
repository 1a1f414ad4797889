import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { docxOf, officeFile, pdfOf, xlsxOf, zip } from "../../fixtures/documents.ts";
import { allTools, files } from "./scripted.ts";

// Documents whose reader must answer with an error or a bounded text. Those that have to be stopped are in
// test/fixtures/hostile-documents.ts.

async function read(name: string, content: Buffer, input: object = {}): Promise<string> {
  const tool = allTools().find(({ definition }) => definition.name === "read_file");
  const context = { files: files({ [name]: content }), signal: new AbortController().signal };
  return (await tool?.run({ name, ...input }, context))?.text ?? "";
}

const row = (number: number, cells: string) => `<row r="${number}">${cells}</row>`;
const cell = (place: string, value: string | number, more = "") => `<c r="${place}"${more}><v>${value}</v></c>`;

const emptyMembers = (count: number) => zip(Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}`, ""])));

describe("a ZIP archive", () => {
  it.each(["word/document.xml", "ppt/presentation.xml"])(
    "that decompresses to 150 MB is not read: %s",
    async (name) => {
      const bomb = zip({ "[Content_Types].xml": "<Types/>", [name]: Buffer.alloc(150_000_000) });
      expect(bomb.length).toBeLessThan(200_000);
      expect(await read("bomb", bomb)).toMatch(
        /its members exceed 104857600 bytes in total\. A program of run_python or run_shell can /,
      );
    },
  );

  it("is listed without being decompressed, and no member of more than 100 MB is read", async () => {
    const bomb = zip({ "a.txt": Buffer.alloc(150_000_000) });
    expect(await read("bomb.zip", bomb)).toMatch(/\na.txt \(150000000 bytes\)$/);
    expect(await read("bomb.zip", bomb, { part: "a.txt" })).toMatch(/exceed 104857600 bytes in total/);
  });

  it("whose sizes are not true is not read", async () => {
    const bomb = zip({ "a.txt": Buffer.alloc(150_000_000) });
    for (let at = bomb.indexOf(sizeOf(150_000_000)); at >= 0; at = bomb.indexOf(sizeOf(150_000_000), at + 1)) {
      bomb.writeUInt32LE(10, at);
    }
    expect(await read("bomb.zip", bomb)).toMatch(/\na.txt \(10 bytes\)$/);
    expect(await read("bomb.zip", bomb, { part: "a.txt" })).toMatch(/cannot be read: too many bytes in the stream/);
  });

  it("whose members are the same bytes is not read", async () => {
    const members = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`word/${n}.xml`, Buffer.alloc(6_000_000)]),
    );
    const overlapping = zip({ "[Content_Types].xml": "<Types/>", ...members });
    const first = overlapping.indexOf("word/0.xml") - 30;
    let at = overlapping.indexOf("PK\u0001\u0002");
    for (let entry = 0; at >= 0; entry++, at = overlapping.indexOf("PK\u0001\u0002", at + 1)) {
      if (entry > 0) overlapping.writeUInt32LE(first, at + 42);
    }
    expect(await read("bomb.docx", overlapping)).toMatch(/its members exceed 104857600 bytes in total/);
  });

  it("with more than 10,000 members is not read, and a long list is cut", async () => {
    expect(await read("a.zip", emptyMembers(10_001))).toMatch(/it has more than 10000 members/);
    expect(await read("a.zip", emptyMembers(6_000), { offset: 5_000 })).toMatch(/\n\[1000 more\]$/);
  });

  it.each([
    ["a truncated archive", officeFile("openpyxl.xlsx").subarray(0, 3_000)],
    ["an archive with a damaged member", damaged(officeFile("python-docx.docx"))],
    ["random bytes", Buffer.concat([Buffer.from("PK\u0003\u0004"), randomBytes(1_000)])],
    ["an Office document without content", zip({ "[Content_Types].xml": "<Types/>", "word/x": "" })],
    ["a workbook without content", zip({ "[Content_Types].xml": "<Types/>", "xl/x": "" })],
    ["an OpenDocument text without content", zip({ mimetype: "application/vnd.oasis.opendocument.text" })],
    ["an OpenDocument text with a password", encrypted("text")],
  ])("is an error: %s", async (_, content) => {
    expect(await read("a", content)).toMatch(/Office document of \d+ bytes; it cannot be read: .{5,150}\.$/);
  });
});

describe("a spreadsheet", () => {
  it("with a dimension of 17 thousand million cells and two cells is read", async () => {
    const dimension = '<dimension ref="A1:XFD1048576"/>';
    expect(await read("a.xlsx", xlsxOf(`${dimension}<sheetData>${row(1, cell("A1", 1))}</sheetData>`))).toMatch(
      /\| 1 \| 1 \|$/,
    );
    const corners = row(1, cell("A1", 1)) + row(1_048_576, cell("XFD1048576", 2));
    expect(await read("a.xlsx", xlsxOf(`<sheetData>${corners}</sheetData>`))).toMatch(/\| 1048576 \|  \| 2 \|$/);
  });

  it("with one text of a million characters in 20,000 cells gives a bounded text", async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => row(n + 1, cell(`A${n + 1}`, 0, ' t="s"')));
    const bomb = xlsxOf(`<sheetData>${rows.join("")}</sheetData>`, `<si><t>${"x".repeat(1e6)}</t></si>`);
    expect(await read("a.xlsx", bomb, { offset: 300 })).toMatch(/lines 300 to 300 of 30\d/);
  });

  it("with entities that expand is read without them", async () => {
    const levels = Array.from({ length: 9 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`);
    const doctype = `<!DOCTYPE x [<!ENTITY e0 "expanded"><!ENTITY f SYSTEM "file:///etc/passwd">${levels.join("")}]>`;
    const content = `<sheetData>${row(1, cell("A1", 0, ' t="s"') + cell("B1", 1, ' t="s"'))}</sheetData>`;
    const text = await read("a.xlsx", xlsxOf(content, "<si><t>&e9;</t></si><si><t>&f;</t></si>", doctype));
    expect(text).toMatch(/\| 1 \| &e9; \| &f; \|$/);
  });

  it("with a shared formula shows it for each cell", async () => {
    const shared = '<f t="shared" ref="B1:B2" si="0">A1*$A$1+LOG10(A2)</f>';
    const cells =
      row(1, cell("A1", 3) + `<c r="B1">${shared}<v>9</v></c>`) +
      row(2, cell("A2", 4) + '<c r="B2"><f t="shared" si="0"/><v>12</v></c>');
    expect(await read("a.xlsx", xlsxOf(`<sheetData>${cells}</sheetData>`))).toMatch(
      /\| 1 \| 3 \| 9 \[=A1\*\$A\$1\+LOG10\(A2\)\] \|\n\| 2 \| 4 \| 12 \[=A2\*\$A\$1\+LOG10\(A3\)\] \|$/,
    );
  });

  it.each([
    ["cells beyond the last column", xlsxOf(`<sheetData>${row(1, cell("ZZZZ1", 1))}</sheetData>`)],
    ["XML that is not closed", xlsxOf("<sheetData>", "<si>".repeat(10_000))],
  ])("is an error: %s", async (_, content) => {
    expect(await read("a.xlsx", content)).toMatch(/cannot be read: .{5,150}/);
  });
});

const odtOf = (xml: string) => zip({ mimetype: "application/vnd.oasis.opendocument.text", "content.xml": xml });
const textOf = (xml: string) => odtOf(`<office:text>${xml}</office:text>`);
const nested = (open: string, close: string) =>
  textOf(open.repeat(20_000) + "<text:p>in</text:p>" + close.repeat(20_000));

describe("XML", () => {
  it("with 20,000 levels is read", async () => {
    expect(await read("a.odt", nested("<text:span>", "</text:span>"))).toMatch(/\nin$/);
    expect(await read("a.odt", nested("<text:list><text:list-item>", "</text:list-item></text:list>"))).toMatch(
      /- in$/,
    );
    const tables = nested(
      "<table:table><table:table-row><table:table-cell>",
      "</table:table-cell></table:table-row></table:table>",
    );
    expect(await read("a.odt", tables)).toMatch(/\nin$/);
  });

  it("with elements that have the names of inherited properties is read", async () => {
    expect(await read("a.odt", textOf("<__proto__><text:p>in</text:p></__proto__>"))).toMatch(/\nin$/);
  });

  it("with repeated spaces gives a bounded text", async () => {
    const spaces = '<text:p>a<text:s text:c="900000000"/>b</text:p>';
    expect(await read("a.odt", textOf(spaces))).toMatch(/\na {1000}b$/);
  });

  it("with entities is an error, and reads no files", async () => {
    const doctype = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY f SYSTEM "file:///etc/passwd">]>';
    for (const entity of ["&a;", "&f;"]) {
      const xml = `${doctype}<office:text><text:p>${entity}</text:p></office:text>`;
      expect(await read("a.odt", odtOf(xml))).toMatch(/its XML is damaged: Invalid character entity/);
    }
    const word = docxOf("<w:p><w:r><w:t>&f;</w:t></w:r></w:p>");
    expect(await read("a.docx", word)).not.toContain("root:");
  });
});

const leaf = (parent: number) => `<< /Type /Page /Parent ${parent} 0 R /MediaBox [0 0 9 9] >>`;

describe("a PDF", () => {
  it("that declares 2,147,483,647 pages is an error", async () => {
    const declared = pdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2147483647 >>",
      "<< /Type /Pages /Parent 2 0 R /Kids [5 0 R] /Count 2147483646 >>",
      leaf(2),
      leaf(3),
    ]);
    expect(await read("a.pdf", declared)).toMatch(/a PDF document of \d+ bytes; it cannot be read: .{5,150}\.$/);
  });
});

const multipart = (boundary: string, ...parts: string[]) =>
  [`Content-Type: multipart/mixed; boundary=${boundary}`, "", ...parts.flatMap((each) => [`--${boundary}`, each])].join(
    "\r\n",
  );

describe("an email", () => {
  it("with 200 levels of parts is an error", async () => {
    let message = "Content-Type: text/plain\r\n\r\ninnermost";
    for (let level = 0; level < 200; level++) message = multipart(`b${level}`, message);
    expect(await read("a.eml", Buffer.from(message))).toMatch(
      /an email of .* cannot be read: Maximum MIME nesting depth/,
    );
  });

  it("with 200 levels of forwarded messages lists the first", async () => {
    let message = "Subject: innermost\r\n\r\nText.";
    for (let level = 0; level < 200; level++) {
      message = multipart(`b${level}`, `Content-Type: message/rfc822\r\n\r\nSubject: s${level}\r\n${message}`);
    }
    expect(await read("a.eml", Buffer.from(message))).toMatch(/- attachment-1.eml \(\d+ bytes\)$/);
  });

  it("with odd names of attachments shows them escaped", async () => {
    const header = `Content-Type: text/plain; name="../../\u202egpj.exe"`;
    const message = multipart("b", `${header}\r\nContent-Disposition: attachment\r\n\r\nx`);
    expect(await read("a.eml", Buffer.from(message))).toMatch(/- \.\.\/\.\.\/\\u\{202e\}gpj.exe \(2 bytes\)$/);
  });

  it("without headers is text", async () => {
    expect(await read("a.eml", Buffer.from("just text\n"))).toMatch(/just text$/);
    expect(await read("a.eml", Buffer.from("Subject: x\r\n\r\n"))).toMatch(/Subject: x$/);
  });
});

it.each([
  ["kana", Buffer.alloc(10_000_000, 0xb1)],
  ["Latin letters", Buffer.alloc(10_000_000, "\xe9 ", "latin1")],
  ["UTF-16", Buffer.alloc(10_000_000, "a\0")],
])("a text of 10 MB without a known encoding is read: %s", async (_, content) => {
  expect(await read("a.txt", content)).toMatch(/\[Read as .*, a guess/);
});

describe("RTF", () => {
  it("with 100,000 groups is an error, and unfinished RTF is read", async () => {
    const deep = Buffer.from(String.raw`{\rtf1 ` + "{".repeat(100_000));
    expect(await read("a.rtf", deep)).toMatch(/its groups are nested more than 10000 times/);
    expect(await read("a.rtf", Buffer.from(String.raw`{\rtf1 text}}}} more\bin99999999`))).toMatch(/\ntext more$/);
    expect(await read("a.rtf", Buffer.from(String.raw`{\rtf1\trowd\cell\cell\row\row\cell`))).toMatch(/no text/);
  });
});

function sizeOf(bytes: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes);
  return size;
}

/** Zeros in the middle of the archive. */
function damaged(archive: Buffer): Buffer {
  return Buffer.concat([archive.subarray(0, 5_000), Buffer.alloc(1_000), archive.subarray(6_000)]);
}

function encrypted(type: string): Buffer {
  const manifest = "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>";
  return zip({
    mimetype: `application/vnd.oasis.opendocument.${type}`,
    "META-INF/manifest.xml": manifest,
    "content.xml": randomBytes(100),
  });
}

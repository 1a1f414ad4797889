import { describe, expect, it } from "vitest";
import { type ReadDocument, readDocument } from "../../../src/documents/read-document.ts";
import { docx, officeFile, pdf, zip } from "../../fixtures/documents.ts";
import { allTools, files } from "./scripted.ts";

/** The tools of one turn, with the number of documents that were parsed. */
function turnWith(content: Record<string, string | Buffer>, reader: ReadDocument = readDocument) {
  let parsed = 0;
  const counted: ReadDocument = (...document) => {
    parsed++;
    return reader(...document);
  };
  const tools = allTools({ readDocument: counted });
  const context = { files: files(content), signal: new AbortController().signal };
  return {
    parsed: () => parsed,
    call: async (name: string, input: object): Promise<string> => {
      const tool = tools.find(({ definition }) => definition.name === name);
      if (!tool) throw new Error(`no tool ${name}`);
      return (await tool.run(input, context)).text;
    },
  };
}

describe("search_files in documents", () => {
  it("names the page, sheet or slide of each line", async () => {
    const { call } = turnWith({
      "a.txt": "The cap is 1.",
      "b.pdf": pdf("Nothing.", "The cap is 2."),
      "c.docx": docx("First.", "The cap is 3."),
      "d.eml": "From: ada@example.com\nSubject: cap\n\nThe cap is 4.",
      "e.rtf": String.raw`{\rtf1 The cap is \'35.}`,
    });
    expect(await call("search_files", { pattern: "cap is .\\." })).toBe(
      [
        "a.txt:1: The cap is 1.",
        "b.pdf:5 (page 2): The cap is 2.",
        "c.docx:3: The cap is 3.",
        "d.eml:4: The cap is 4.",
        "e.rtf:1: The cap is 5.",
      ].join("\n"),
    );
    const office = turnWith({ "a.xlsx": officeFile("libreoffice.xlsx"), "b.pptx": officeFile("libreoffice.pptx") });
    expect(await office.call("search_files", { pattern: "Nut" })).toMatch(/^a\.xlsx:\d+ \(sheet Sales\): \| 3 \| Nut/);
    expect(await office.call("search_files", { pattern: "39 .=Sales" })).toMatch(/^a\.xlsx:\d+ \(sheet Hidden\): /);
    expect(await office.call("search_files", { pattern: "\\w", glob: "*.pptx" })).toMatch(/^b\.pptx:2 \(slide 1\): /m);
  });

  it("has the line numbers of read_file, and parses a document once for both", async () => {
    const { call, parsed } = turnWith({ "a.pdf": pdf("One.", "Two.", "Three.") });
    const [, line] = /^a\.pdf:(\d+) \(page 3\): Three\.$/.exec(await call("search_files", { pattern: "Three" })) ?? [];
    expect(await call("read_file", { name: "a.pdf", offset: Number(line) })).toMatch(/\nThree\.$/);
    expect(await call("search_files", { pattern: "Two" })).toBe("a.pdf:5 (page 2): Two.");
    expect(parsed()).toBe(1);
  });

  it("does not take a text for the heading of an earlier page", async () => {
    const { call } = turnWith({ "a.pdf": pdf("One.", "[Page 1 of 9]", "cap") });
    expect(await call("search_files", { pattern: "^\\[Page 1 of 9|^cap" })).toBe(
      "a.pdf:5 (page 2): [Page 1 of 9]\na.pdf:8 (page 3): cap",
    );
  });

  it("names what was not searched, and why", async () => {
    const mail =
      'From: a@example.com\nContent-Type: multipart/mixed; boundary="b"\n\n--b\n\nHi\n--b\n' +
      'Content-Disposition: attachment; filename="a.txt"\n\ncap\n--b--\n';
    const { call } = turnWith({
      "damaged.docx": docx("cap").subarray(0, -60),
      "huge.pdf": Buffer.concat([pdf("cap"), Buffer.alloc(33 * 1024 * 1024)]),
      "mail.eml": mail,
      "members.zip": zip({ "a.txt": "cap" }),
      "old.doc": Buffer.from("d0cf11e0a1b11ae1", "hex"),
      "partly.pdf": pdf("One.", ""),
      "scan.pdf": pdf(""),
    });
    const text = await call("search_files", { pattern: "cap" });
    expect(text.split("\n")).toEqual([
      "No line matches in 3 files.",
      "[Not searched, because not text: old.doc.]",
      "[Not searched:]",
      expect.stringMatching(/^damaged\.docx: it cannot be read: /),
      expect.stringMatching(/^huge\.pdf: it has 3460\d{4} bytes, more than 33554432\.$/),
      "mail.eml: [Only the names of its attachments are searched.]",
      "members.zip: [Only the names of its members are searched.]",
      "partly.pdf: [Page 2 of 2 has no text: scanned or blank. Pictures are not read.]",
      "scan.pdf: its pages have no text.",
    ]);
  });

  it("does not read documents when texts have more matches than are returned", async () => {
    const { call, parsed } = turnWith({ "a.pdf": pdf("cap"), "b.txt": "cap\n".repeat(101) });
    expect(await call("search_files", { pattern: "cap" })).toMatch(/^b\.txt:1: cap[^]*More than 100 lines match/);
    expect(parsed()).toBe(0);
  });
});

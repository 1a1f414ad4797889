import { describe, expect, it } from "vitest";
import { annotatedPdf, pdf } from "../../fixtures/documents.ts";
import { allTools, files } from "./scripted.ts";

async function read(content: Buffer, input: object = {}) {
  const tool = allTools().find(({ definition }) => definition.name === "read_file");
  if (!tool) throw new Error("no tool read_file");
  const context = { files: files({ "a.pdf": content }), signal: new AbortController().signal };
  const output = await tool.run({ name: "a.pdf", ...input }, context);
  return { ...output, text: output.text.replace(/^.*: lines \d+ to \d+ of \d+\n/, "") };
}

const field = (type: string, name: string, value: string, more = "") =>
  `/Subtype /Widget /FT /${type} /T (${name}) ${value === "" ? "" : `/V ${value}`} ${more}`;

describe("read_file of a PDF form", () => {
  it("has the names and values of all kinds of fields", async () => {
    const radio = (state: string) => field("Btn", "Card", "/Visa", `/Ff 32768 /AP << /N << /${state} 5 0 R >> >>`);
    const check = (name: string, value: string, on: string) =>
      field("Btn", name, value, `/AS ${value} /AP << /N << /${on} 5 0 R >> >>`);
    const fields = [
      field("Tx", "IBAN", "(DE89 3704)"),
      field("Tx", "Address", "(Way 1\\rIBAN: FR76)", "/Ff 4096"),
      field("Tx", "Phone", ""),
      field("Tx", "Pin", "(1234)", "/Ff 8192"),
      check("Agreed", "/Yes", "Yes"),
      check("News", "/Off", "Yes"),
      check("Plan", "/Gold", "Gold"),
      radio("Visa"),
      radio("Amex"),
      field("Ch", "Country", "(DE)", "/Ff 131072 /Opt [[(DE) (Germany)] [(FR) (France)]]"),
      field("Sig", "Signed", ""),
      field("Btn", "Send", "", "/Ff 65536"),
    ];
    expect((await read(annotatedPdf("Application", fields))).text).toBe(`[Page 1 of 1]
Application
[Form fields of page 1]
IBAN: DE89 3704
Address: Way 1 / IBAN: FR76
Phone: [empty]
Pin: [password, not shown]
Agreed: checked
News: not checked
Plan: checked (Gold)
Card: Visa
Country: Germany (DE)
Signed: [signature field]`);
  });

  it("names an XFA form, which is not read", async () => {
    const { text } = await read(annotatedPdf("Wait", [field("Tx", "A", "(1)")], "/XFA 5 0 R"));
    expect(text).toMatch(/\[Page 1 of 1\]\nWait\n.*\nA: 1\n\n\[The PDF has an XFA form, which is not read: /);
  });

  it("has the comments with their authors", async () => {
    const note = "/Subtype /Text /T (Ada) /Contents (Is it final?)";
    expect((await read(annotatedPdf("Rent", [note]))).text).toBe(
      "[Page 1 of 1]\nRent\n[Comments of page 1]\nAda: Is it final?",
    );
  });
});

describe("read_file of scanned pages", () => {
  it("names the pages without text among others", async () => {
    const note = "[Pages 2-3, 5 of 5 have no text: scanned or blank. Pictures are not read.]";
    expect((await read(pdf("One.", "", "", "Four.", ""))).text).toBe(
      `[Page 1 of 5]\nOne.\n\n[Page 4 of 5]\nFour.\n\n${note}`,
    );
    expect((await read(pdf("One.", ""), { part: "1" })).text).toBe("[Page 1 of 2]\nOne.");
  });

  it("says that the selected pages have none", async () => {
    expect(await read(pdf("One.", "", ""), { part: "2-3" })).toMatchObject({
      error: true,
      text: expect.stringMatching(/part 2-3 contains no text: the pages are scanned or blank/),
    });
  });

  it("refuses a scan of more pages than providers accept", async () => {
    expect(await read(pdf(...Array.from({ length: 101 }, () => "")))).toMatchObject({
      error: true,
      text: expect.stringMatching(/probably a scan, with 101 pages; PDFs can be shown up to 100 pages\. .* pypdf\.$/),
    });
  });

  it("attaches a scan that has only fields or comments, with these", async () => {
    const output = await read(annotatedPdf("", [field("Tx", "Name", "(Ada)")]));
    expect(output.text).toMatch(
      /Name: Ada\n\n\[No page has text: .*\]\n\[a\.pdf is .* probably a scan\. It is attached\.\]$/,
    );
    expect(output.attachments).toEqual([{ name: "a.pdf", mediaType: "application/pdf", pages: 1 }]);
  });
});

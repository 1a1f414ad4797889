import { randomBytes } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { builtInTools, toolNames } from "../../../src/agent/tools/index.ts";
import type { Files } from "../../../src/agent/tools/files/files.ts";
import { readDocument } from "../../../src/documents/read-document.ts";
import { pdf, pdfOf, xlsxOf } from "../../fixtures/documents.ts";
import { allTools, files } from "./scripted.ts";

const choice = { readFile: { pdf: "pages" as const } };
const { signal } = new AbortController();

function toolOf(dependencies = { acceptsPdf: true }, more: Parameters<typeof allTools>[1] = choice) {
  const tool = allTools(dependencies, more).find(({ definition }) => definition.name === "read_file");
  if (!tool) throw new Error("no tool read_file");
  return tool;
}

async function read(space: Files, input: object, tool = toolOf()) {
  return tool.run(input, { files: space, signal });
}

/** The texts of the pages of a PDF. */
async function textsOf(content: Uint8Array | undefined): Promise<string[]> {
  const document = await readDocument("pdf", content ?? new Uint8Array(), signal);
  if ("problem" in document) throw new Error(document.problem);
  return document.text.split("\n\n").map((page) => page.replace(/^\[Page \d+ of \d+\]\n/, ""));
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `Text ${index + 1}.`);
const pdfType = "application/pdf";

describe("read_file of an agent whose models are shown pages of PDFs", () => {
  it("attaches a document of few pages as it is", async () => {
    const space = files({ "a.pdf": pdf(...numbered(20)) });
    const output = await read(space, { name: "a.pdf" });
    expect(output).toEqual({
      text: "a.pdf, pages 1-20 of 20: attached. If it is not shown, read the text with part.",
      attachments: [{ name: "a.pdf", mediaType: pdfType, pages: 20 }],
    });
    expect([...space.content.keys()]).toEqual(["a.pdf"]);
    expect(await read(space, { name: "a.pdf", pages: "1-99" })).toEqual(output);
  });

  it("attaches a copy of the pages that it is asked for, which is a file of the workspace", async () => {
    const space = files({ "in/a.pdf": pdf(...numbered(30)) });
    const output = await read(space, { name: "in/a.pdf", pages: "4-6" });
    const [attachment] = output.attachments ?? [];
    expect(attachment).toMatchObject({ mediaType: pdfType, pages: 3 });
    expect(attachment?.name).toMatch(/^in\/a-pages-4-6-[0-9a-f]{8}\.pdf$/);
    expect(output.text).toBe(
      `in/a.pdf, pages 4-6 of 30: attached, and saved as ${attachment?.name}. If it is not shown, read the text with part.`,
    );
    expect(await textsOf(space.content.get(attachment?.name ?? ""))).toEqual(["Text 4.", "Text 5.", "Text 6."]);

    const before = space.content.get(attachment?.name ?? "");
    expect(await read(space, { name: "in/a.pdf", pages: "4-6" })).toEqual(output);
    expect(space.content.get(attachment?.name ?? "")).toBe(before);
    expect((await read(space, { name: "in/a.pdf", pages: "7" })).text).toMatch(/^in\/a\.pdf, page 7 of 30: attached, /);
  });

  it("keeps form fields and comments of the pages", async () => {
    const form = pdfOf([
      "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [5 0 R] >> >>",
      "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Annots [5 0 R 6 0 R] >>",
      "<< /Type /Annot /Rect [0 0 99 20] /Subtype /Widget /FT /Tx /T (Name) /V (Ada) >>",
      "<< /Type /Annot /Rect [0 0 99 20] /Subtype /Text /T (Bob) /Contents (Late?) >>",
    ]);
    const space = files({ "a.pdf": form });
    const [attachment] = (await read(space, { name: "a.pdf", pages: "2" })).attachments ?? [];
    const [shown] = await textsOf(space.content.get(attachment?.name ?? ""));
    expect(shown).toContain("Name: Ada");
    expect(shown).toContain("Bob: Late?");
  });

  it("returns the text of a longer document, and says how to see pages", async () => {
    const { text, attachments } = await read(files({ "a.pdf": pdf(...numbered(21)) }), { name: "a.pdf" });
    expect(attachments).toBeUndefined();
    expect(text).toMatch(/Text 21\.\n\[Its pages are shown as they are with pages, at most 20 at a time\.\]$/);
  });

  it("returns text for lines and parts, and for other documents", async () => {
    const space = files({ "a.pdf": pdf("One.", "Two."), "b.xlsx": xlsxOf("<sheetData/>"), "c.txt": "plain" });
    expect((await read(space, { name: "a.pdf", part: "2" })).text).toContain("Two.");
    expect((await read(space, { name: "a.pdf", offset: 2, limit: 1 })).text).toMatch(/\nOne\.\n\[More: /);
    expect((await read(space, { name: "b.xlsx" })).text).toContain("[No values.]");
    expect((await read(space, { name: "c.txt" })).text).toContain("plain");
  });

  it("asks for pages of a long scan", async () => {
    const scan = files({ "scan.pdf": pdf(...Array.from({ length: 21 }, () => "")) });
    expect(await read(scan, { name: "scan.pdf" })).toMatchObject({
      error: true,
      text: expect.stringMatching(
        /probably a scan, with 21 pages\. Its pages are shown as they are with pages, at most 20/,
      ),
    });
    expect((await read(scan, { name: "scan.pdf", pages: "2-3" })).attachments).toMatchObject([{ pages: 2 }]);
    expect((await read(files({ "scan.pdf": pdf("") }), { name: "scan.pdf" })).attachments).toMatchObject([
      { pages: 1 },
    ]);
  });

  it.each([
    [{ pages: "1-21" }, "a.pdf: 1-21 are 21 pages, and at most 20 can be shown at a time."],
    [{ pages: "31" }, 'a.pdf: there are no pages "31"; accepted: such as 3 or 3-5, of 1-30.'],
    [{ pages: "5-4" }, 'a.pdf: there are no pages "5-4"; accepted: such as 3 or 3-5, of 1-30.'],
    [{ pages: "all" }, 'a.pdf: there are no pages "all"; accepted: such as 3 or 3-5, of 1-30.'],
    [{ pages: "1", part: "2" }, "pages is used alone with name. For the text of pages, use part instead."],
    [{ name: "c.txt", pages: "1" }, "c.txt is not a PDF, and only PDFs have pages. Read it without pages."],
  ])("refuses %o", async (input, text) => {
    const space = files({ "a.pdf": pdf(...numbered(30)), "c.txt": "plain" });
    expect(await read(space, { name: "a.pdf", ...input })).toEqual({ error: true, text });
  });

  it("refuses pages that are too large to be shown, or that the workspace has no room for", async () => {
    const noise = randomBytes(4_600_000).toString("latin1");
    const large = pdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R >>",
      `<< /Length ${noise.length} >>\nstream\n${noise}\nendstream`,
    ]);
    const output = await read(files({ "a.pdf": large }), { name: "a.pdf", pages: "2" });
    expect(output).toMatchObject({ error: true, text: expect.stringMatching(/choose fewer pages, or read the text/) });

    const full: Files = { ...files({ "a.pdf": pdf(...numbered(30)) }), problemOf: async () => "There is no room." };
    expect(await read(full, { name: "a.pdf", pages: "2" })).toEqual({
      error: true,
      text: "a.pdf, page 2 of 30 cannot be shown, because they are saved as a file: There is no room.",
    });
  });
});

test.each([
  ["the agent does not ask for pages", { acceptsPdf: true }, {}],
  ["a model does not accept PDFs", { acceptsPdf: false }, choice],
])("read_file has text only if %s", async (_, dependencies, more) => {
  const tool = toolOf(dependencies, more);
  expect(tool.definition.input).not.toHaveProperty("properties.pages");
  const space = files({ "a.pdf": pdf("One.", "Two.") });
  expect(await read(space, { name: "a.pdf", pages: "1" }, tool)).toMatchObject({ error: true });
  expect((await read(space, { name: "a.pdf" }, tool)).text).toContain("One.");
});

test("read_file is the same tool in a deployment that cannot take pages", () => {
  const tools = builtInTools({ tools: toolNames, ...choice }, { readDocument, acceptsPdf: true });
  expect(tools.find(({ definition }) => definition.name === "read_file")?.definition.input).not.toHaveProperty(
    "properties.pages",
  );
});

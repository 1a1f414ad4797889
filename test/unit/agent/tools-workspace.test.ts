import { describe, expect, it } from "vitest";
import { workspaceLimits } from "../../../src/agent/tools/definitions.ts";
import type { Files, ToolOutput } from "../../../src/agent/tools/tool.ts";
import { docx, pdf, zip } from "../../fixtures/documents.ts";
import { allTools, files } from "./scripted.ts";

const never = new AbortController().signal;

async function run(name: string, input: unknown, space: Files, signal = never): Promise<ToolOutput> {
  const tool = allTools().find(({ definition }) => definition.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.run(input, { files: space, signal });
}

const edit = (space: Files, old_text: string, new_text: string, more: object = {}) =>
  run("edit_file", { name: "f", old_text, new_text, ...more }, space);

describe("edit_file", () => {
  it("replaces what is there exactly once, or all of it when told so", async () => {
    const space = files({ f: "a = 1;\nb = $1;\nb = 1;\n" });
    expect(await edit(space, "a = 1", "a = $& 2")).toEqual({ text: "Replaced 1 place in f (25 bytes)." });
    expect(await edit(space, "b =", "c =")).toMatchObject({
      error: true,
      text: expect.stringMatching(/2 times.*all to true/),
    });
    expect(await edit(space, "b =", "", { all: true })).toEqual({ text: "Replaced 2 places in f (19 bytes)." });
    expect(Buffer.from(space.content.get("f") ?? []).toString()).toBe("a = $& 2;\n $1;\n 1;\n");
  });

  it("says what is wrong, and changes nothing", async () => {
    const space = files({ f: "text", b: Buffer.from([0, 1]) });
    expect((await edit(space, "Text", "x")).text).toMatch(/does not hold old_text/);
    expect((await edit(space, "", "x")).text).toMatch(/old_text is empty/);
    expect((await edit(space, "t", "t")).text).toMatch(/are the same/);
    expect((await run("edit_file", { name: "b", old_text: "a", new_text: "b" }, space)).text).toMatch(
      /b is a binary file/,
    );
    expect((await run("edit_file", { name: "../f", old_text: "a", new_text: "b" }, space)).text).toMatch(
      /There is no file/,
    );
    const large = await edit(space, "text", "x".repeat(workspaceLimits.editBytes + 1));
    expect(large.text).toMatch(/has 10485761 bytes.*at most 10485760/);
    expect(Buffer.from(space.content.get("f") ?? []).toString()).toBe("text");
  });

  it("keeps a byte order mark", async () => {
    const space = files({ f: "\ufeffold" });
    await edit(space, "old", "new");
    expect(Buffer.from(space.content.get("f") ?? []).toString()).toBe("\ufeffnew");
  });
});

describe("search_files", () => {
  const space = files({
    "a.md": "# Title\r\nprice: 4,711\r\n",
    "b.csv": "Price,1\n",
    "c.txt": "nothing",
    "logo.png": Buffer.from("89504e470d0a", "hex"),
  });

  it("gives the lines that match, in the files that a glob names", async () => {
    expect((await run("search_files", { pattern: "^price" }, space)).text).toBe(
      "a.md:2: price: 4,711\n[Not searched, as they are not text: logo.png.]",
    );
    const both = await run("search_files", { pattern: "price", ignore_case: true, glob: "*.{md,csv}" }, space);
    expect(both.text).toBe("a.md:2: price: 4,711\nb.csv:1: Price,1");
    expect((await run("search_files", { pattern: "x{3}", glob: "?.txt" }, space)).text).toBe(
      "No line matches in 1 files.",
    );
  });

  it("gives at most a hundred lines, each cut around the match", async () => {
    const many = files({ f: `${"x".repeat(5_000)}needle${"y".repeat(5_000)}\n`.repeat(150) });
    const { text } = await run("search_files", { pattern: "needle" }, many);
    expect(text.split("\n")).toHaveLength(101);
    expect(text).toContain("More than 100 lines match");
    expect(text.length).toBeLessThan(40_000);
    expect(text).toContain("xneedley");
  });

  it("ends a pattern that takes for ever, blocks nothing meanwhile, and works again", { timeout: 20_000 }, async () => {
    const bad = files({ f: `${"a".repeat(60)}b` });
    let ticks = 0;
    const timer = setInterval(() => ticks++, 50);
    const output = await run("search_files", { pattern: "^(a+)+$" }, bad);
    clearInterval(timer);
    expect(output).toMatchObject({ error: true, text: expect.stringMatching(/more than 5 seconds/) });
    expect(ticks).toBeGreaterThan(20);
    expect((await run("search_files", { pattern: "a+b" }, bad)).text).toMatch(/^f:1: a+b$/);
    await expect(run("search_files", { pattern: "^(a+)+$" }, bad, AbortSignal.timeout(100))).rejects.toThrow("timeout");
  });

  it("refuses what is no regular expression", async () => {
    expect((await run("search_files", { pattern: "(" }, space)).text).toMatch(
      /Invalid regular expression.*Accepted: a JavaScript/,
    );
  });
});

const read = (name: string, content: Buffer) => run("read_file", { name }, files({ [name]: content }));

describe("read_file", () => {
  it("gives the text of PDF and Word documents by lines", async () => {
    expect((await read("a.pdf", pdf("Hello.", "World."))).text).toBe(
      "a.pdf: lines 1 to 5 of 5\n[Page 1 of 2]\nHello.\n\n[Page 2 of 2]\nWorld.",
    );
    expect((await read("a.docx", docx("First.", "Second."))).text).toBe("a.docx: lines 1 to 3 of 3\nFirst.\n\nSecond.");
  });

  it("shows images, and PDFs without text, as they are", async () => {
    expect(await read("scan.pdf", pdf(""))).toEqual({
      text: expect.stringMatching(
        /^scan.pdf is a PDF document of \d+ bytes without text, probably a scan. It is attached.$/,
      ),
      attachments: [{ name: "scan.pdf", mediaType: "application/pdf" }],
    });
    const webp = Buffer.from("RIFF\0\0\0\0WEBPVP8 ", "latin1");
    expect(await read("a.webp", webp)).toMatchObject({ attachments: [{ name: "a.webp", mediaType: "image/webp" }] });
    const large = Buffer.concat([Buffer.from("89504e47", "hex"), Buffer.alloc(4_000_000)]);
    expect(await read("large.png", large)).toEqual({
      error: true,
      text:
        "large.png is a PNG image of 4000004 bytes; " +
        "it has 4000004 bytes, and images can be shown up to 3750000 bytes.",
    });
    const scan = Buffer.concat([pdf(""), Buffer.alloc(4_200_000)]); // PDFs may be larger
    expect(await read("scan.pdf", scan)).toMatchObject({ attachments: [{ name: "scan.pdf" }] });
  });

  it("says what is wrong with a document", async () => {
    expect((await read("a.docx", docx("A.").subarray(0, -60))).text).toMatch(/can't be read: its parts are damaged/);
    expect((await read("a.zip", zip({ "a.txt": "x" }))).text).toMatch(/ZIP archive.*only text files, PDF and DOCX/);
    expect((await read("a.docx", docx(""))).text).toMatch(/it holds no text/);
    const bomb = zip({ "word/document.xml": Buffer.alloc(150_000_000) });
    expect(bomb.length).toBeLessThan(1_000_000);
    expect((await read("bomb.docx", bomb)).text).toMatch(/larger than 104857600 bytes/);
  });
});

import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { workspaceLimits } from "../../../src/agent/tools/definitions.ts";
import type { Files } from "../../../src/agent/tools/files/files.ts";
import type { ToolOutput } from "../../../src/agent/tools/tool.ts";
import { compoundFile, docx, pdf, zip } from "../../fixtures/documents.ts";
import { allTools, files } from "./scripted.ts";

const neverAborts = new AbortController().signal;

async function run(name: string, input: unknown, space: Files, signal = neverAborts): Promise<ToolOutput> {
  const tool = allTools().find(({ definition }) => definition.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.run(input, { files: space, signal });
}

const longSearch = (signal?: AbortSignal) =>
  run("search_files", { pattern: "x" }, files({ f: "line\n".repeat(10_000) }), signal);

/** Calls `work` in each turn of the event loop, with its number. */
function inEachTurn(work: (turn: number) => void) {
  let turn = 0;
  let next = setImmediate(function count() {
    next = setImmediate(count);
    work(++turn);
  });
  onTestFinished(() => clearImmediate(next));
}

const edit = (space: Files, old_text: string, new_text: string, more: object = {}) =>
  run("edit_file", { name: "f", old_text, new_text, ...more }, space);

describe("edit_file", () => {
  it("replaces a unique occurrence, or every occurrence with all", async () => {
    const space = files({ f: "a = 1;\nb = $1;\nb = 1;\n" });
    expect(await edit(space, "a = 1", "a = $& 2")).toEqual({ text: "Replaced 1 occurrence in f (25 bytes)." });
    expect(await edit(space, "b =", "c =")).toMatchObject({
      error: true,
      text: expect.stringMatching(/2 times.*all to true/),
    });
    expect(await edit(space, "b =", "", { all: true })).toEqual({ text: "Replaced 2 occurrences in f (19 bytes)." });
    expect(Buffer.from(space.content.get("f") ?? []).toString()).toBe("a = $& 2;\n $1;\n 1;\n");
  });

  it("returns an error and changes nothing", async () => {
    const space = files({ f: "text", b: Buffer.from([0, 1]) });
    expect((await edit(space, "Text", "x")).text).toMatch(/does not contain old_text/);
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

  it.each(["x".repeat(1_000), "ü".repeat(100), "xyz"])(
    "checks the size before it replaces four million occurrences",
    { timeout: 30_000 },
    async (replacement) => {
      const space = files({ f: "a\n".repeat(4_000_000) });
      const bytes = 8_000_000 + 4_000_000 * (Buffer.byteLength(replacement) - 1);
      expect(await edit(space, "a", replacement, { all: true })).toEqual({
        error: true,
        text: `The content has ${bytes} bytes of UTF-8; at most 10485760 are accepted. Write several smaller files.`,
      });
      expect(space.content.get("f")).toHaveLength(8_000_000);
    },
  );
});

describe("search_files", () => {
  const space = files({
    "a.md": "# Title\r\nprice: 4,711\r\n",
    "b.csv": "Price,1\n",
    "c.txt": "nothing",
    "logo.png": Buffer.from("89504e470d0a", "hex"),
  });

  it("returns the matching lines of the files that match the glob", async () => {
    expect((await run("search_files", { pattern: "^price" }, space)).text).toBe(
      "a.md:2: price: 4,711\n[Not searched, because not text: logo.png.]",
    );
    const both = await run("search_files", { pattern: "price", ignore_case: true, glob: "*.{md,csv}" }, space);
    expect(both.text).toBe("a.md:2: price: 4,711\nb.csv:1: Price,1");
    expect((await run("search_files", { pattern: "x{3}", glob: "?.txt" }, space)).text).toBe(
      "No line matches in 1 files.",
    );
  });

  it("returns at most 100 lines, each with the text around the match", async () => {
    const many = files({ f: `${"x".repeat(5_000)}needle${"y".repeat(5_000)}\n`.repeat(150) });
    const { text } = await run("search_files", { pattern: "needle" }, many);
    expect(text.split("\n")).toHaveLength(101);
    expect(text).toContain("More than 100 lines match");
    expect(text.length).toBeLessThan(40_000);
    expect(text).toContain("xneedley");
    expect(
      (await run("search_files", { pattern: "needle", glob: "f" }, files({ f: "needle\n".repeat(100) }))).text,
    ).not.toContain("More than");
  });

  it.each(["^(a+)+$", "^(a|aa)+$", "(.*)(.*)(.*)(.*)x"])("matches %s in linear time", async (pattern) => {
    const lines = files({ f: `${"a".repeat(60)}b\n`.repeat(20_000) });
    // In exponential time, it would be stopped at its time limit, which is an error.
    expect((await run("search_files", { pattern }, lines)).text).toBe("No line matches in 1 files.");
  });

  it("finds a match in every part of a line of 10 MB", async () => {
    const long = "x".repeat(10 * 1024 * 1024 - 10);
    const { text } = await run("search_files", { pattern: "NEEDLE", ignore_case: true }, files({ f: `${long}needle` }));
    expect(text).toMatch(/^f:1: x+needle$/);
    expect(text.length).toBeLessThan(310);
  });

  describe("a long search", () => {
    beforeEach(() => {
      let clock = 0;
      const now = vi.spyOn(Date, "now").mockImplementation(() => clock++); // each line takes 1 ms
      onTestFinished(() => now.mockRestore());
    });

    it("lets other work run every 20 ms", async () => {
      let turns = 0;
      inEachTurn(() => turns++);
      await longSearch();
      expect(turns).toBeGreaterThan(10_000 / 25);
    });

    it("is stopped at the time limit, and the next one works", async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      inEachTurn(() => vi.advanceTimersByTime(50)); // 100 of some 500 turns are 5 seconds
      expect(await longSearch()).toMatchObject({ error: true, text: expect.stringMatching(/more than 5 seconds/) });
      expect((await run("search_files", { pattern: "^c", glob: "f" }, files({ f: "c" }))).text).toBe("f:1: c");
    });

    it("is stopped by an abort", async () => {
      const stop = new AbortController();
      inEachTurn((turn) => turn === 100 && stop.abort(new Error("stopped by an operator")));
      await expect(longSearch(stop.signal)).rejects.toThrow("stopped by an operator");
    });
  });

  it.each([
    ["(", /missing closing \)/],
    ["a(?=b)", /unsupported Perl syntax: `\(\?=`/],
    ["(a)\\1", /invalid escape sequence/],
    ["a{2000}", /invalid repeat count/],
    ["(ab{900}){9}", /invalid repeat count|too complex/],
    ["[ab]{900}[cd]{900}", /too complex/],
    ["x".repeat(1_001), /has 1001 characters/],
  ])("rejects the pattern %.20s and says what is accepted", async (pattern, problem) => {
    const output = await run("search_files", { pattern }, space);
    expect(output).toMatchObject({ error: true, text: expect.stringMatching(problem) });
    expect(output.text).toMatch(/Accepted: a regular expression in RE2 syntax .* Lookahead, lookbehind/);
  });

  it.each([
    ["*", ["a.md", "b.csv", "c[1].md"]],
    ["*.md", ["a.md", "c[1].md"]],
    ["?.md", ["a.md"]],
    ["?.{md,csv}", ["a.md", "b.csv"]],
    ["[!a]*", ["b.csv", "c[1].md"]],
    ["[ab].*", ["a.md", "b.csv"]],
    ["a.m", []],
  ])("searches the files that match the glob %s", async (glob, names) => {
    const named = files({ "a.md": "x", "b.csv": "x", "c[1].md": "x" });
    const { text } = await run("search_files", { pattern: "x", glob }, named);
    expect(text).toBe(
      names.length > 0 ? names.map((name) => `${name}:1: x`).join("\n") : "No line matches in 0 files.",
    );
  });

  it.each([
    ["*.csv", ["a.csv", "x/b.csv", "x/y/c.csv"]],
    ["x/*.csv", ["x/b.csv"]],
    ["./x/*", ["x/b.csv", "x/d.md"]],
    ["**/*.csv", ["a.csv", "x/b.csv", "x/y/c.csv"]],
    ["x/**", ["x/b.csv", "x/d.md", "x/y/c.csv"]],
    ["x/**/c.csv", ["x/y/c.csv"]],
    ["x/?/*", ["x/y/c.csv"]],
    ["x[!z]b.csv", []],
    ["{x,z}/b.csv", ["x/b.csv"]],
  ])("searches the files in folders that match the glob %s", async (glob, names) => {
    const named = files({ "a.csv": "1", "x/b.csv": "1", "x/d.md": "1", "x/y/c.csv": "1" });
    const { text } = await run("search_files", { pattern: "1", glob }, named);
    expect(text).toBe(names.map((name) => `${name}:1: 1`).join("\n") || "No line matches in 0 files.");
  });

  it("rejects an invalid glob", async () => {
    const output = await run("search_files", { pattern: "x", glob: "{a" }, space);
    expect(output).toMatchObject({ error: true, text: expect.stringMatching(/^glob: .*missing closing/) });
  });
});

const read = (name: string, content: Buffer) => run("read_file", { name }, files({ [name]: content }));

describe("read_file", () => {
  it("returns the text of PDF and Word documents by lines", async () => {
    expect((await read("a.pdf", pdf("Hello.", "World."))).text).toBe(
      "a.pdf: lines 1 to 5 of 5\n[Page 1 of 2]\nHello.\n\n[Page 2 of 2]\nWorld.",
    );
    expect((await read("a.docx", docx("First.", "Second."))).text).toBe("a.docx: lines 1 to 3 of 3\nFirst.\n\nSecond.");
  });

  it("attaches images and PDFs without text", async () => {
    expect(await read("scan.pdf", pdf(""))).toEqual({
      text: expect.stringMatching(
        /^scan.pdf is a PDF document of \d+ bytes without text, probably a scan. It is attached.$/,
      ),
      attachments: [{ name: "scan.pdf", mediaType: "application/pdf", pages: 1 }],
    });
    const starts = {
      webp: "RIFF\0\0\0\0WEBPVP8 ",
      jpeg: "\u00ff\u00d8\u00ff\u00e1\0Exif",
      png: "\u0089PNG\r\n\u001a\n\0",
    };
    for (const [kind, start] of Object.entries(starts)) {
      const [name, mediaType] = [`a.${kind}`, `image/${kind}`];
      expect(await read(name, Buffer.from(start, "latin1"))).toMatchObject({ attachments: [{ name, mediaType }] });
    }
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

  it("returns an error for a damaged or unsupported document", async () => {
    expect((await read("a.docx", docx("A.").subarray(0, -60))).text).toMatch(
      /Office document of .* cannot be read: End of/,
    );
    expect((await read("a.gz", Buffer.from("1f8b0800", "hex"))).text).toMatch(
      /a gzip archive.*only text files, PDF, DOCX/,
    );
    expect((await read("a.doc", Buffer.from("d0cf11e0a1b11ae1", "hex"))).text).toMatch(
      /an old Office document \(DOC, XLS.* can be read\. The owner can save it as DOCX/,
    );
    expect((await read("a.parquet", Buffer.from("PAR1\x15\0PAR1"))).text).toMatch(
      /^a.parquet is a Parquet file of 10 bytes; .* run_python reads it with pandas.read_parquet\.$/,
    );
    expect((await read("a.txt", Buffer.from("PAR1 is a golf course."))).text).toContain("golf course");
    expect((await read("a.db", Buffer.from("SQLite format 3\0"))).text).toMatch(
      /an SQLite database .* command sqlite3\.$/,
    );
    expect((await read("a.docx", docx(""))).text).toMatch(/it contains no text/);
  });

  it.each([
    [["__nameid_version1.0"], "an Outlook message (MSG)", "__substg1.0_1000001F"],
    [["Data", "1Table", "WordDocument"], "an old Word document (DOC)", "save it as DOCX"],
    [["PowerPoint Document"], "an old presentation (PPT)", "save it as PPTX"],
    [["Workbook"], "an old workbook (XLS)", 'pandas.read_excel(…, engine="calamine")'],
    [["Book"], "an old workbook (XLS)", "save it as XLSX"],
    [["EncryptionInfo", "EncryptedPackage"], "an Office document with a password", "save it without one"],
    [["Contents"], "an old Office document (DOC, XLS, PPT, MSG) or one with a password", "save it as DOCX"],
  ])("says what a file with the streams %j is, and what reads it", async (streams, kind, remedy) => {
    const { text } = await read("a.bin", compoundFile(...streams));
    expect(text).toContain(`a.bin is ${kind} of 2048 bytes; only text files, `);
    expect(text).toContain(remedy);
  });

  it("says what reads a binary workbook", async () => {
    const content = zip({ "[Content_Types].xml": "<Types/>", "xl/workbook.bin": "" });
    expect((await read("a.xlsb", content)).text).toMatch(/binary workbook \(XLSB\)\. .* engine="calamine"\)\.$/);
  });
});

import { readFile } from "node:fs/promises";
import fc from "../../support/properties.ts";
import { describe, expect, it } from "vitest";
import { toolDefinitions, workspaceLimits } from "../../../src/agent/tools/definitions.ts";
import { toolNames } from "../../../src/agent/tools/index.ts";
import type { Files } from "../../../src/agent/tools/files/files.ts";
import type { ToolOutput } from "../../../src/agent/tools/tool.ts";
import { agentSchemaFile, agentSchemaSource } from "../../../scripts/agent-schema.ts";
import { allTools, files } from "./scripted.ts";

function run(name: string, input: unknown, space: Files = files()): Promise<ToolOutput> {
  const tool = allTools().find(({ definition }) => definition.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.run(input, { files: space, signal: new AbortController().signal });
}

const read = async (content: string | Uint8Array, input: object = {}) =>
  (await run("read_file", { name: "f", ...input }, files({ f: content }))).text;

const body = (bytes: number[]) => read(Buffer.from(bytes));

it("uses the same tool names in the table, in the definitions and in the schema of agent files", async () => {
  expect(allTools().map(({ definition }) => definition.name)).toEqual(toolNames);
  expect(toolDefinitions.map(({ name }) => name)).toEqual(toolNames);
  const schema = await readFile(agentSchemaFile, "utf8");
  expect(JSON.parse(schema), "run npm run generate").toEqual(JSON.parse(agentSchemaSource()));
});

describe("inputs", () => {
  it.each([
    ["read_file", {}, /required property 'name'/],
    ["read_file", { name: "a", offset: 0 }, /"offset" must be >= 1/],
    ["read_file", { name: "a", limit: 1.5 }, /"limit" must be integer/],
    ["write_file", { name: "a", content: 1, mode: "x" }, /additional properties: "mode".*"content" must be string/],
    ["list_files", "all", /the input must be object/],
    ["list_files", undefined, /Received: nothing/],
  ])("%s rejects %j and says what is accepted", async (name, input, problem) => {
    const output = await run(name, input);
    expect(output).toMatchObject({ error: true, text: expect.stringMatching(problem) });
    expect(output.text).toContain("Accepted: ");
  });
});

describe("list_files", () => {
  it("lists names and sizes, or says that the workspace is empty", async () => {
    expect(await run("list_files", {}, files({ b: "12", "a (1).txt": "1" }))).toEqual({
      text: "a (1).txt (1 bytes)\nb (2 bytes)",
    });
    expect(await run("list_files", {})).toEqual({ text: "The workspace is empty." });
  });

  it("returns those that match a glob", async () => {
    const space = files({ "a.csv": "", "x/b.csv": "", "x/c.md": "" });
    expect((await run("list_files", { glob: "x/*.csv" }, space)).text).toBe("x/b.csv (0 bytes)");
    expect((await run("list_files", { glob: "*.txt" }, space)).text).toBe("No name of 3 files matches *.txt.");
    expect((await run("list_files", { glob: "{a" }, space)).text).toMatch(/^glob: .*missing closing/);
  });

  it("returns the first of many files, and the numbers of files by folder", async () => {
    const names = Array.from({ length: 2_000 }, (_, n) => (n < 100 ? `a${n}` : `f${n % 2}/${n}`));
    const { text } = await run("list_files", {}, files(Object.fromEntries(names.map((name) => [name, ""]))));
    expect(text.split("\n")).toHaveLength(200 + 4);
    expect(text).toContain("[The first 200 of 2000 files are above. To list others, set glob, such as reports/*.");
    expect(text.split("\n").slice(-3)).toEqual(["no folder: 100 files", "f0/: 950 files", "f1/: 950 files]"]);
  });
});

describe("read_file", () => {
  it("returns lines below a heading, and a note when there are more", async () => {
    expect(await read("one\ntwo\nthree\n")).toBe("f: lines 1 to 3 of 3\none\ntwo\nthree");
    expect(await read("one\ntwo\nthree", { offset: 2, limit: 1 })).toBe(
      "f: lines 2 to 2 of 3\ntwo\n[More: continue with offset 3.]",
    );
    expect(await read("")).toBe("f: empty, 0 lines");
    expect(await read("\n")).toBe("f: lines 1 to 1 of 1\n");
  });

  it("returns every character of any text when its notes are followed", async () => {
    const text = fc.array(
      fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 0, max: 45_000 }).map((length) => "ab😀d".repeat(length / 5)),
      ),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(text, async (pieces) => {
        const original =
          pieces
            .map((piece) => piece.replaceAll(/[\n\0]/g, ""))
            .join("\n")
            .replace(/\n*$/, "") + "x";
        let input: object = {};
        let all = "";
        for (let round = 0; round < 100; round++) {
          const output = await read(original, input);
          expect(output.length).toBeLessThan(workspaceLimits.readCharacters + 300);
          const [, ...lines] = output.split("\n");
          const note = /^\[(?:More: continue with|Line .* continue with) offset (\d+)(?: and column (\d+).*)?/.exec(
            lines.at(-1) ?? "",
          );
          all += (note ? lines.slice(0, -1) : lines).join("\n");
          if (!note) break;
          if (note[2] === undefined) all += "\n";
          input = { offset: Number(note[1]), ...(note[2] !== undefined && { column: Number(note[2]) }) };
        }
        expect(all).toBe(original);
      }),
      { numRuns: 60 },
    );
  });

  it("returns an error for a range beyond the text", async () => {
    expect(await read("one", { offset: 2 })).toMatch(/offset 2 is beyond the end of f: it has 1 lines/);
    expect(await read("one", { column: 4 })).toMatch(/column 4 is beyond the end of line 1 of f: it has 3 characters/);
  });

  it("lists the existing files when one is missing, and never leaves the workspace", async () => {
    const space: Files = { ...files({ "a.txt": "1" }), read: async () => undefined };
    expect(await run("read_file", { name: "b.txt" }, space)).toEqual({
      error: true,
      text: 'There is no file "b.txt". Files of the workspace: "a.txt".',
    });
    const open: Files = { ...space, read: async () => Buffer.from("outside") };
    for (const name of ["../a", "/etc/passwd", "a\\b", "", "a/./b", "a//b"]) {
      expect((await run("read_file", { name }, open)).text).toMatch(/^There is no file/);
    }
  });

  it("names the kind of a binary file", async () => {
    expect(await read(Buffer.from("%PDF-1.7\n"))).toMatch(
      /a PDF document of 9 bytes; it cannot be read: Invalid PDF structure\./,
    );
    expect(await read(Buffer.from([0x50, 0x4b, 3, 4, 0]))).toMatch(/ZIP archive/);
    expect(await read(Buffer.from([1, 0, 2]))).toMatch(/a binary file of 3 bytes/);
    expect(await read(Buffer.from([0xff, 0x01, 0x80]))).toMatch(/a binary file/);
  });

  it("reads text in the encodings of spreadsheets", async () => {
    expect(await body([0xef, 0xbb, 0xbf, 0xc3, 0xbc])).toBe("f: lines 1 to 1 of 1\nü");
    expect(await body([0xff, 0xfe, 0xfc, 0x00])).toBe("f: lines 1 to 1 of 1\nü");
    expect(await body([0xfe, 0xff, 0x00, 0xfc])).toBe("f: lines 1 to 1 of 1\nü");
    expect(await body([0x61, 0xfc, 0x80])).toMatch(/^f: lines 1 to 1 of 1\naü€\n\[Read as windows-1252, a guess/);
  });
});

describe("write_file", () => {
  it("replaces a file of the same name", async () => {
    const space = files({ "a.txt": "old" });
    expect(await run("write_file", { name: "a.txt", content: "nü" }, space)).toEqual({
      text: "Wrote a.txt (3 bytes).",
    });
    expect(Buffer.from(space.content.get("a.txt") ?? []).toString()).toBe("nü");
  });

  const flat = ["", "..", ".a", "a\\b", "a\0", "a\u202eb", "CON.txt", "con .a", " a", "a ", "x".repeat(256), "a:b"];
  const withFolders = [
    "/a",
    "a/",
    "a//b",
    "a/../b",
    "../a",
    "./a",
    ".git/a",
    "a/.b",
    "nul/a",
    "a /b",
    `${"a/".repeat(500)}b`,
  ];

  it.each([...flat, ...withFolders])("rejects the name %j and says which are accepted", async (name) => {
    const space = files();
    const output = await run("write_file", { name, content: "" }, space);
    expect(output).toMatchObject({ error: true, text: expect.stringContaining("Accepted: a path such as a.csv") });
    expect(space.content.size).toBe(0);
  });

  it.each(["reports/q3.csv", "日本/ü b.txt", `${"a/".repeat(499)}b`, `a/${"x".repeat(255)}`])(
    "writes %j",
    async (name) => {
      const space = files();
      expect(await run("write_file", { name, content: "" }, space)).not.toHaveProperty("error");
      expect(await run("read_file", { name }, space)).not.toHaveProperty("error");
    },
  );

  it.each([
    ["a.TXT", "A.txt", /differs from the existing file "A.txt" only in case/],
    ["reports/B.csv", "reports/b.csv", /existing file "reports\/b.csv" only in case/],
    ["Reports/b.csv", "reports/a.csv", /existing folder "reports" only in case/],
    ["e\u0301/b", "\u00e9/a", /existing folder "\u00e9" only in its Unicode form/],
    ["reports", "reports/a.csv", /"reports" is a folder with 1 files/],
    ["REPORTS", "reports/a.csv", /existing folder "reports" only in case/],
    ["a.csv/b", "a.csv", /"a.csv" is a file/],
    ["a/b.csv/c/d", "a/b.csv", /"a\/b.csv" is a file/],
  ])("rejects the name %j beside %j", async (name, existing, problem) => {
    const space = files({ [existing]: "" });
    expect(await run("write_file", { name, content: "" }, space)).toMatchObject({
      error: true,
      text: expect.stringMatching(problem),
    });
    expect([...space.content.keys()]).toEqual([existing]);
  });

  it("rejects a file that is too large, and too many files", async () => {
    const large = "x".repeat(workspaceLimits.writeBytes + 1);
    expect(await run("write_file", { name: "a", content: large })).toMatchObject({
      error: true,
      text: expect.stringMatching(/1048577 bytes.*at most 1048576/),
    });
    const full = files(Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`${n}`, ""])));
    expect((await run("write_file", { name: "more", content: "" }, full)).text).toMatch(/2000 files; at most 2000/);
    expect(await run("write_file", { name: "7", content: "" }, full)).not.toHaveProperty("error");
    expect(await run("delete_file", { name: "8" }, full)).toEqual({ text: "Deleted 8 (0 bytes)." });
    expect(await run("write_file", { name: "more", content: "" }, full)).not.toHaveProperty("error");
  });
});

describe("delete_file", () => {
  it("deletes a file", async () => {
    const space = files({ "reports/a.csv": "1", "b.csv": "" });
    expect(await run("delete_file", { name: "reports/a.csv" }, space)).toEqual({
      text: "Deleted reports/a.csv (1 bytes).",
    });
    expect((await run("list_files", {}, space)).text).toBe("b.csv (0 bytes)");
    expect(await run("write_file", { name: "reports", content: "" }, space)).not.toHaveProperty("error");
  });

  it("names the existing files when the file is missing, and those in a folder", async () => {
    const space = files({ "reports/a.csv": "", "b.csv": "" });
    const missing = 'There is no file "../b.csv". Files of the workspace: "b.csv", "reports/a.csv".';
    expect(await run("delete_file", { name: "../b.csv" }, space)).toEqual({ error: true, text: missing });
    const folder = '"reports" is a folder. Files in it: "reports/a.csv".';
    for (const tool of ["delete_file", "read_file"]) {
      expect(await run(tool, { name: "reports" }, space)).toEqual({ error: true, text: folder });
    }
    expect(space.content.size).toBe(2);
  });
});

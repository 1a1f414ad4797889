import { describe, expect, test, vi } from "vitest";
import type { Files } from "../../../src/agent/tools/files/files.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import type { ProgramOwner, SandboxRequest } from "../../../src/sandbox/sandbox-types.ts";
import { countLines, linesOf, textParts } from "../../../src/documents/text-parts.ts";
import { allTools, answer, call, files, openFiles, scripted, spaceOf, turn } from "./scripted.ts";

const MiB = 1024 * 1024;
const signal = new AbortController().signal;

async function run(
  name: string,
  input: object,
  space: Files,
  owner: ProgramOwner = { organizationId: "A", agentId: "A1" },
): Promise<{ text: string; error?: boolean }> {
  const tool = allTools().find(({ definition }) => definition.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.run(input, { files: space, signal, owner });
}

/** Numbered lines of a little more than `bytes` bytes, in an encoding with one or two bytes per character. */
function table(bytes: number, suffix = ""): string {
  const lines: string[] = [];
  for (let length = 0; length < bytes; length += lines.at(-1)?.length ?? 0)
    lines.push(`line ${lines.length + 1}${suffix}\n`);
  return lines.join("");
}

describe("a text that is decoded in parts", () => {
  // Two parts in each encoding. The letters have one to three bytes.
  const ä = table(4.2 * MiB, "; größer und größer und größer");
  const あ = table(2.2 * MiB, "; 日本語の表 日本語の表 日本語の表");
  test.each([
    ["UTF-8", Buffer.from(あ), あ],
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${あ}`), あ],
    ["UTF-16", Buffer.from(`\ufeff${あ}`, "utf16le"), あ],
    ["UTF-16 without a byte order mark", Buffer.from(あ, "utf16le"), あ],
    ["Windows-1252", Buffer.from(ä, "latin1"), ä],
  ])("is the same as in one piece, and its lines are found by number: %s", async (_, bytes, text) => {
    const space = files({ f: bytes });
    const lines = text.split("\n").slice(0, -1);
    for (const offset of [1, Math.floor(lines.length / 2), lines.length]) {
      const { text: read } = await run("read_file", { name: "f", offset, limit: 1 }, space);
      expect(read.split("\n").slice(0, 2)).toEqual([
        `f: lines ${offset} to ${offset} of ${lines.length}`,
        lines[offset - 1],
      ]);
    }
    const beyond = await run("read_file", { name: "f", offset: lines.length + 1 }, space);
    expect(beyond.text).toBe(`offset ${lines.length + 1} is beyond the end of f: it has ${lines.length} lines.`);
    const last = await run("search_files", { pattern: `^line ${lines.length};` }, space);
    expect(last.text.split("\n")[0]).toBe(`f:${lines.length}: ${lines.at(-1)}`);
  });

  test("lines that cross two parts are returned whole", async () => {
    const text = table(9 * MiB);
    const end = text.slice(0, 4 * MiB).split("\n").length; // the line at the end of the first part
    const { text: read } = await run("read_file", { name: "f", offset: end - 1, limit: 3 }, files({ f: text }));
    expect(read.split("\n").slice(1, 4)).toEqual([end - 1, end, end + 1].map((number) => `line ${number}`));
  });

  test("a line that is longer than a part is one line, and a text of 20,000 characters of it is returned", async () => {
    const long = `first\n${"x".repeat(9 * MiB)}é\nlast`;
    const space = files({ f: long });
    const { text } = await run("read_file", { name: "f", offset: 2, column: 9 * MiB - 5 }, space);
    expect(text).toBe(`f: lines 2 to 3 of 3\nxxxxxxé\nlast`);
    expect((await run("search_files", { pattern: "é$" }, space)).text).toMatch(/^f:2: x+é$/);
  });

  test.each(["", "\n", "a", "a\n", "a\nb", "\n\n", "a\r\nb\r\n"])("%j has as many lines as are counted", (text) => {
    const parts = [...textParts(Buffer.from(text), "utf-8")];
    expect(parts.join("")).toBe(text);
    expect(parts.map(countLines)).toEqual(parts.map((part) => linesOf(part).length));
  });
});

describe("a program", () => {
  const big = table(4.5 * MiB); // two parts
  const total = big.split("\n").length - 1;
  const middle = big.slice(0, 4 * MiB).split("\n").length; // the line at the end of the first part

  /** A sandbox that accepts 1 MiB. `program` is what the program writes to `name`. */
  function sandbox() {
    const requests: SandboxRequest[] = [];
    const accept = async (request: SandboxRequest) => {
      requests.push(request);
      const written = ["big.txt", "part.txt"].map((name) => ({ name, content: Buffer.from(request.program) }));
      return { output: "ran", written, notes: [] };
    };
    return { requests, tools: allTools({ sandbox: { maxBytes: MiB, run: accept } }) };
  }

  async function runOn(input: object) {
    const space = files({ "big.txt": big, "logo.png": Buffer.from("89504e470d0a", "hex") });
    const { requests, tools } = sandbox();
    const tool = tools.find(({ definition }) => definition.name === "run_python");
    const output = await tool?.run({ code: "new", ...input }, { files: space, signal });
    return { output, requests, space };
  }

  test("gets lines of a file that is too large, and cannot replace the file with them", async () => {
    const lines = `${middle - 1}-${middle + 1}`;
    const { output, requests, space } = await runOn({ files: ["big.txt"], lines });
    const expected = [middle - 1, middle, middle + 1].map((number) => `line ${number}\n`).join("");
    expect(requests[0]?.files.map(({ name, content }) => [name, String(content)])).toEqual([["big.txt", expected]]);
    expect(output?.text.split("\n")).toEqual([
      "ran",
      `[The program got lines ${middle - 1} to ${middle + 1} of ${total} of big.txt.]`,
      "[Wrote part.txt (3 bytes).]",
      '["big.txt" was not saved. The program got only a part of it. Write to another name.]',
    ]);
    expect(space.content.get("big.txt")).toHaveLength(big.length);
    const last = await runOn({ files: ["big.txt"], lines: `${total}-${total + 9}` });
    expect(String(last.requests[0]?.files[0]?.content)).toBe(`line ${total}\n`);
  });

  const sizes = `The files have ${big.length + 6} bytes together; the sandbox accepts at most 1048576.`;
  test.each([
    [{}, `${sizes} Pass a part of a large text file: name it in files, and set lines, such as 1-200000.`],
    [
      { files: ["big.txt"], lines: `1-${total}` },
      `The lines have ${big.length} bytes; the sandbox accepts at most 1048576. Pass fewer lines.`,
    ],
    [
      { files: ["big.txt"], lines: `${total + 1}-${total + 2}` },
      `Line ${total + 1} is beyond the end of big.txt: it has ${total} lines.`,
    ],
    [{ files: ["big.txt"], lines: "5" }, 'lines is "5"; accepted: the first and the last line, such as 1-200000.'],
    [{ files: ["big.txt"], lines: "9-2" }, 'lines is "9-2"; accepted: the first and the last line, such as 1-200000.'],
    [{ lines: "1-2" }, "lines requires files with the name of one file."],
    [{ files: ["big.txt", "logo.png"], lines: "1-2" }, "lines requires files with the name of one file."],
    [{ files: ["logo.png"], lines: "1-2" }, "logo.png is a PNG image; lines are those of a text file."],
  ])("with %j gets nothing, and the error says what is accepted", async (input, text) => {
    const { output, requests } = await runOn(input);
    expect(output).toEqual({ error: true, text });
    expect(requests).toEqual([]);
  });
});

test("the error for a document, or an edit, of a file that is too large states the sizes", async () => {
  const pdf = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(33 * MiB)]);
  const space = files({ "a.pdf": pdf, "a.csv": Buffer.alloc(11 * MiB) });
  expect(await run("read_file", { name: "a.pdf" }, space)).toEqual({
    error: true,
    text: `a.pdf is a PDF document of ${pdf.length} bytes; documents and archives can be read up to 33554432 bytes.`,
  });
  expect(await run("edit_file", { name: "a.csv", old_text: "line 1", new_text: "x" }, space)).toEqual({
    error: true,
    text:
      `a.csv (${11 * MiB} bytes) is too large: edit_file changes files of at most 10485760 bytes. ` +
      "Write the changed part to a new file.",
  });
});

test("calls of one answer hold one large file in memory at a time", async () => {
  const content = Buffer.alloc(17 * MiB, "line\n");
  const space = files({ "1.txt": content, "2.txt": content, "small.txt": "small" });
  let [open, most] = [0, 0];
  const counted: Files = {
    ...space,
    async read(name) {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open--;
      return space.read(name);
    },
  };
  await Promise.all([
    run("read_file", { name: "1.txt", limit: 1 }, counted),
    run("read_file", { name: "2.txt", limit: 1 }, counted),
    run("search_files", { pattern: "line", glob: "?.txt" }, counted),
  ]);
  expect(most).toBe(1);
});

const large = Buffer.alloc(17 * MiB, "line\n");

test.each([
  ["search_files", { pattern: "line" }, Buffer.from("line\n"), 8],
  ["read_file", { name: "f", limit: 1 }, large, 3],
])(
  "another organization's %s ends while one agent's calls wait for their files",
  async (name, input, content, calls) => {
    const space = files({ f: content });
    const stored = Promise.withResolvers<void>();
    const slow: Files = { ...space, read: (file) => stored.promise.then(() => space.read(file)) };
    const attack = Array.from({ length: calls }, () => run(name, input, slow));
    const { text } = await run(name, input, space, { organizationId: "B", agentId: "B1" });
    expect(text).toContain("line");
    stored.resolve();
    for (const { text: own } of await Promise.all(attack)) expect(own).toBe(text);
  },
);

test("a call that gets no place for a large file within ten minutes is an error for the model", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const space = spaceOf({ "1.txt": large, "2.txt": large });
  const stored = Promise.withResolvers<void>();
  const contents = { read: () => stored.promise.then(() => large), write: async () => {}, remove: async () => {} };
  const reads = ["1.txt", "2.txt"].map((name) => call(name, "read_file", { name, limit: 1 }));
  const { model, requests } = scripted([answer("", reads), answer("Done.")]);
  const { input, ports } = turn(model, {
    input: { limits: { steps: 10, tokens: 1_000_000, seconds: 3_600 } },
    ports: {
      owner: { organizationId: "A", agentId: "A1" },
      files: openFiles(space, [], { contents }),
    },
  });
  const ended = runTurn(input, ports);
  await vi.advanceTimersByTimeAsync(600_000);
  stored.resolve();
  await ended;
  vi.useRealTimers();
  expect(requests[1]?.messages.at(-1)).toMatchObject({
    results: [
      { text: expect.stringContaining("1.txt: lines 1 to 1") },
      {
        error: true,
        text:
          "None of the 2 places for large files became free within 600 seconds. " +
          "Call the tool again later, with fewer large files at a time.",
      },
    ],
  });
});

import { describe, expect, it } from "vitest";
import { allTools, files } from "./scripted.ts";

const [nfc, nfd] = ["Absch\u00e4tzung.txt", "Abscha\u0308tzung.txt"];

async function call(content: Record<string, string>, tool: string, input: object) {
  const space = files(content);
  const found = allTools().find(({ definition }) => definition.name === tool);
  const output = await found?.run(input, { files: space, signal: new AbortController().signal });
  const after = Object.fromEntries([...space.content].map(([name, bytes]) => [name, Buffer.from(bytes).toString()]));
  return { text: output?.text ?? "", error: output?.error, after };
}

describe.each([
  [nfc, nfd],
  [nfd, nfc],
])("a file that is stored as %j is found as %j", (stored, asked) => {
  const note = `The name of the file is ${JSON.stringify(stored)}, in another Unicode form (NFC, NFD).`;

  it("by read_file, edit_file, write_file and delete_file, which name it", async () => {
    const content = { [stored]: "one" };
    expect((await call(content, "read_file", { name: asked })).text).toBe(
      `${stored}: lines 1 to 1 of 1\none\n[${note}]`,
    );
    const edited = await call(content, "edit_file", { name: asked, old_text: "one", new_text: "two" });
    expect([edited.text.endsWith(note), edited.after]).toEqual([true, { [stored]: "two" }]);
    const written = await call(content, "write_file", { name: asked, content: "three" });
    expect([written.text, written.after]).toEqual([`Wrote ${stored} (5 bytes). ${note}`, { [stored]: "three" }]);
    const deleted = await call(content, "delete_file", { name: asked });
    expect([deleted.text, deleted.after]).toEqual([`Deleted ${stored} (3 bytes). ${note}`, {}]);
  });

  it("by the globs of search_files and list_files", async () => {
    const glob = asked.replace("tzung", "*");
    expect((await call({ [stored]: "one" }, "search_files", { pattern: "one", glob })).text).toBe(`${stored}:1: one`);
    expect((await call({ [stored]: "one" }, "list_files", { glob })).text).toContain(stored);
  });
});

describe("a name in other typography", () => {
  it.each([
    ["Bildschirmfoto um 10.00.00\u202fPM.txt", "Bildschirmfoto um 10.00.00 PM.txt"],
    ["Anna’s list.txt", "Anna's list.txt"],
    ["2020–2021/a\u00a0b.txt", "2020-2021/a b.txt"],
  ])("%j is found as %j to be read and edited", async (stored, asked) => {
    const note = `The name of the file is ${JSON.stringify(stored)}, with other blanks, hyphens or quotes.`;
    expect((await call({ [stored]: "one" }, "read_file", { name: asked })).text).toContain(`\n[${note}]`);
    const edited = await call({ [stored]: "one" }, "edit_file", { name: asked, old_text: "one", new_text: "two" });
    expect([edited.text.endsWith(note), edited.after]).toEqual([true, { [stored]: "two" }]);
  });

  it("is not found where two files match, nor to be deleted, and an exact name wins", async () => {
    const two = { "a\u00a0b": "1", "a\u202fb": "2" };
    expect((await call(two, "read_file", { name: "a b" })).text).toMatch(/^There is no file "a b"/);
    expect((await call({ "a\u00a0b": "1" }, "delete_file", { name: "a b" })).error).toBe(true);
    expect((await call({ ...two, "a b": "3" }, "read_file", { name: "a b" })).text).toBe("a b: lines 1 to 1 of 1\n3");
  });
});

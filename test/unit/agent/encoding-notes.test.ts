import { expect, test } from "vitest";
import { builtInTools } from "../../../src/agent/tools/index.ts";
import type { Linux } from "../../../src/sandbox/linux/linux-types.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox-types.ts";
import { openFiles, spaceOf } from "./scripted.ts";

const { signal } = new AbortController();

const linux: Linux = {
  engine: "bubblewrap",
  facts: {
    name: "linux",
    digest: `sha256:${"a".repeat(64)}`,
    system: "Debian 13",
    programs: {},
    python: { version: "3.13.5", libraries: {} },
  },
  run: async () => ({ output: "0\n", exitCode: 0, changed: [], deleted: [], notes: [] }),
};
const sandbox: Sandbox = { maxBytes: 32_000_000, run: async () => ({ output: "0\n", written: [], notes: [] }) };

const space = spaceOf({
  "plain.csv": "id,city\n1,Köln\n",
  "empty.csv": "",
  "marked.csv": "\ufeffid,city\n1,Köln\n",
  "old/latin.csv": Buffer.from("id,city\n1,K\xf6ln\n2,D\xfcren\n", "latin1"),
  "wide.txt": Buffer.from("\ufeffid,city\n1,Köln\n", "utf16le"),
  "wide without mark.txt": Buffer.from("id,city\n1,Ulm\n2,Bonn\n", "utf16le"),
  "image.png": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0]),
  "data.bin": Buffer.from([1, 2, 255, 254, 0, 3]),
  "mixed.csv": Buffer.concat([
    Buffer.from("id,city\n1,Köln\n2,Zürich\n3,D"),
    Buffer.from([0xfc]),
    Buffer.from("ren\n"),
  ]),
  "large.txt": Buffer.alloc(17 * 1024 * 1024, "K\xf6ln\n", "latin1"),
});

/** The result of a program in a workspace with files of many encodings. */
async function resultOf(name: "run_shell" | "run_python" | "run_javascript", program: string): Promise<string> {
  const dependencies = name === "run_javascript" ? { sandbox } : { sandbox, linux };
  const [tool] = builtInTools({ tools: [name] }, dependencies);
  const files = await openFiles(space).startCall();
  const output = await tool?.run(name === "run_shell" ? { script: program } : { code: program }, { files, signal });
  await files.end(async () => true);
  return output?.text ?? "";
}

const advice =
  "The program got the bytes as they are; name the encoding when it reads them, or convert them first. read_file decodes them.";

test.each([
  ["run_shell", "grep -c Köln old/latin.csv", '"old/latin.csv" (windows-1252, a guess)'],
  ["run_shell", "cd old && awk -F, '{n++} END {print n}' latin.csv", '"old/latin.csv" (windows-1252, a guess)'],
  ["run_shell", "grep -c Köln *.txt", '"wide without mark.txt" (utf-16le, a guess), "wide.txt" (utf-16le)'],
  ["run_python", "print(open('wide.txt').read().count('Köln'))", '"wide.txt" (utf-16le)'],
  ["run_python", 'print(open("wide without mark.txt").read())', '"wide without mark.txt" (utf-16le, a guess)'],
  ["run_shell", "grep -c Köln mixed.csv", '"mixed.csv" (UTF-8 but for line 4 (FC))'],
  ["run_javascript", "readText('old/latin.csv').split('Köln').length", '"old/latin.csv" (windows-1252, a guess)'],
] as const)("%s names files that it uses and that are not UTF-8: %s", async (name, program, named) => {
  expect(await resultOf(name, program)).toBe(`0\n[Not UTF-8: ${named}. ${advice}]`);
});

test.each([
  ["files in UTF-8, with a mark or empty", "cat plain.csv marked.csv empty.csv"],
  ["files that are not text", "file image.png data.bin"],
  ["files that the program does not use", "seq 3 > latin.csv.sum; wc -l plain.csv"],
  ["a program that converts them", "iconv -f UTF-16 -t UTF-8 wide.txt | grep -c Köln"],
  ["a file over 16 MiB, which is not read for this", "wc -l large.txt"],
])("there is no note for %s", async (_, script) => {
  expect(await resultOf("run_shell", script)).toBe("0");
});

import { expect, test } from "vitest";
import {
  type CodeLanguage,
  languageOfArgument,
  languageOfFile,
  languageOfText,
} from "../../../console/run/text/code-language.ts";
import { codeTokens } from "../../../console/run/text/highlight.ts";

const colored = (code: string, language: CodeLanguage) =>
  codeTokens(code, language).flatMap(({ kind, text }) => (kind ? [[kind, text.trim()]] : []));

test.each<[CodeLanguage, string, [kind: string, text: string][]]>([
  [
    "bash",
    "for f in a.log; do # each\n  awk '/E/ { n++ }' $f\ndone",
    [
      ["keyword", "for"],
      ["keyword", ";"],
      ["keyword", "do"],
      ["comment", "# each"],
      ["string", "'/E/ { n++ }'"],
      ["keyword", "done"],
    ],
  ],
  [
    "js",
    'const a = parse("x"); // largest',
    [
      ["keyword", "const"],
      ["string", '"x"'],
      ["comment", "// largest"],
    ],
  ],
  [
    "py",
    "# c\ndef f(x):\n  return 'a'",
    [
      ["comment", "# c"],
      ["keyword", "def"],
      ["keyword", "return"],
      ["string", "'a'"],
    ],
  ],
  [
    "json",
    '{"a": [1, true, "s"]}',
    [
      ["keyword", '"a"'],
      ["keyword", "true"],
      ["string", '"s"'],
    ],
  ],
])("%s has three colours", (language, code, parts) => {
  expect(colored(code, language)).toEqual(parts);
});

test.each<[string, CodeLanguage, string]>([
  ["a long one", "js", 'const a = "x";\n'.repeat(5_000)],
  ["one that is slow to read", "js", `const a = 1;\n${"a".repeat(20_000)}`],
  ["HTML", "js", "<img src=x onerror=alert(1)> </script> `${x}`"],
  ["unfinished strings", "py", "f'{x"],
])("%s stays as it is", (_, language, code) => {
  const tokens = codeTokens(code, language);
  expect(tokens.map(({ text }) => text).join("")).toBe(code);
  expect(tokens.length).toBeLessThanOrEqual(1_001);
});

test("knows the code of calls, files and results", () => {
  expect(languageOfArgument("run_shell", "script")).toBe("bash");
  expect(languageOfArgument("run_python", "files")).toBeUndefined();
  expect(languageOfArgument("write_file", "content", "src/a.MJS")).toBe("js");
  expect(["a.py", "a.txt", "json"].map(languageOfFile)).toEqual(["py", undefined, undefined]);
  expect(['{"a": 1}', " [{", "[1] done", "{ n++ }"].map(languageOfText)).toEqual([
    "json",
    "json",
    undefined,
    undefined,
  ]);
});

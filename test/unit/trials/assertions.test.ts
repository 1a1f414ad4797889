import { describe, expect, it } from "vitest";
import type { FileVersion } from "../../../src/agent/turn/files/manifest.ts";
import { sha256Of } from "../../../src/agent/turn/files/manifest.ts";
import { checkResult } from "../../../src/results/check-result.ts";
import type { CheckResult } from "../../../src/results/result-types.ts";
import { assertionProblem, checkAssertions, maxMatchedBytes } from "../../../src/trials/assertions.ts";
import { turnFacts } from "../../../src/trials/cases/turn-facts.ts";
import type { Assertion } from "../../../src/trials/trial-types.ts";
import { prices, recordedTurn, sha } from "./samples.ts";

const contents = new Map<string, Uint8Array>();

function file(name: string, content: string | Uint8Array): FileVersion {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const sha256 = sha256Of(bytes);
  contents.set(sha256, bytes);
  return { name, size: bytes.length, sha256 };
}

const files: FileVersion[] = [
  file("sum.txt", "total: 42\n"),
  file("photo.bin", new Uint8Array([0xff, 0xfe, 0xff])),
  { name: "huge.csv", size: maxMatchedBytes + 1, sha256: sha("9") },
  { name: "lost.txt", size: 3, sha256: sha("8") },
  { name: "deleted.txt", size: 0, deleted: true },
];

const inProcess: CheckResult = async (schema, text) => ({ problems: await checkResult(schema, text) });

const facts = turnFacts(recordedTurn(), 2);

async function check(assertions: Assertion[], more: { output?: string | undefined; checker?: CheckResult } = {}) {
  const { checker = inProcess } = more;
  const { output: recorded, ...rest } = facts;
  const output = "output" in more ? more.output : recorded;
  const turn = { facts: { ...rest, ...(output !== undefined && { output }) }, files };
  const deps = {
    checkResult: checker,
    readFile: async ({ sha256 = "" }: FileVersion) => contents.get(sha256),
    signal: new AbortController().signal,
  };
  return checkAssertions(assertions, turn, deps);
}

const schema = { type: "object", required: ["sum"], properties: { sum: { type: "number" } } };

const endless: CheckResult = async () => ({ unchecked: "the check took more than 5 seconds" });

describe("an assertion holds", () => {
  it.each<[string, Assertion]>([
    ["the output matches", { kind: "output_matches", pattern: String.raw`sum is \d+\.$` }],
    ["a file exists", { kind: "file_exists", name: "sum.txt" }],
    ["a file has the content", { kind: "file_equals", name: "sum.txt", sha256: sha256Of(Buffer.from("total: 42\n")) }],
    ["a file matches", { kind: "file_matches", name: "sum.txt", pattern: "^total: 4" }],
    ["a tool is called", { kind: "tool_called", name: "web_fetch" }],
    ["a tool is not called", { kind: "tool_not_called", name: "run_shell" }],
    ["the usage is at the limits", { kind: "at_most", steps: 3, dollars: 0.0062, seconds: 7 }],
  ])("%s", async (_, assertion) => expect(await check([assertion])).toEqual([{ assertion: 0, holds: true }]));

  it("the output fits the schema", async () => {
    expect(await check([{ kind: "output_fits", schema }], { output: '{"sum":42}' })).toEqual([
      { assertion: 0, holds: true },
    ]);
  });
});

describe("an assertion is broken, with what was expected and received", () => {
  it.each<[string, Assertion, string]>([
    [
      "the output does not match",
      { kind: "output_matches", pattern: "^42$" },
      'Expected an output that matches "^42$", received "The sum is 42.".',
    ],
    [
      "the output is no JSON",
      { kind: "output_fits", schema },
      "The output does not fit the schema: the result: expected JSON without any text around it, received The sum is 42.",
    ],
    ["no such file", { kind: "file_exists", name: "a.txt" }, "Expected a file a.txt, received none of this name."],
    [
      "a deleted file",
      { kind: "file_exists", name: "deleted.txt" },
      "Expected a file deleted.txt, received none of this name.",
    ],
    [
      "another content",
      { kind: "file_equals", name: "lost.txt", sha256: sha("1") },
      `Expected lost.txt with the SHA-256 ${sha("1")}, received ${sha("8")}.`,
    ],
    [
      "a file does not match",
      { kind: "file_matches", name: "sum.txt", pattern: "43" },
      'Expected a file sum.txt that matches "43", received "total: 42\\n".',
    ],
    [
      "a file is too large",
      { kind: "file_matches", name: "huge.csv", pattern: "43" },
      'Expected a file huge.csv that matches "43", received 4194305 bytes. Patterns are matched against at most 4194304 bytes.',
    ],
    [
      "a content is no longer kept",
      { kind: "file_matches", name: "lost.txt", pattern: "43" },
      'Expected a file lost.txt that matches "43", but its content is no longer kept.',
    ],
    [
      "a file is not text",
      { kind: "file_matches", name: "photo.bin", pattern: "43" },
      'Expected a file photo.bin that matches "43", received a file that is not UTF-8 text.',
    ],
    [
      "a tool is not called",
      { kind: "tool_called", name: "run_shell" },
      "Expected a call of run_shell, received calls of read_file, web_fetch, write_file.",
    ],
    [
      "a tool is called",
      { kind: "tool_not_called", name: "write_file" },
      "Expected no call of write_file, received one in step 2.",
    ],
    [
      "the usage is above all limits",
      { kind: "at_most", steps: 2, dollars: 0.006, seconds: 6.5 },
      "Expected at most 2 steps, received 3; at most $0.006, received $0.0061; at most 6.5 s, received 7 s.",
    ],
  ])("%s", async (_, assertion, reason) => {
    expect(await check([assertion])).toEqual([{ assertion: 0, holds: false, reason }]);
  });

  it("there is no output", async () => {
    const assertions: Assertion[] = [
      { kind: "output_matches", pattern: "a" },
      { kind: "output_fits", schema },
    ];
    expect((await check(assertions, { output: undefined })).map(({ reason }) => reason)).toEqual([
      'Expected an output that matches "a", received none.',
      "Expected an output that fits the schema, received none.",
    ]);
  });

  it("a long output is cut in the reason", async () => {
    const [outcome] = await check([{ kind: "output_matches", pattern: "z" }], { output: "😀".repeat(100_000) });
    expect(outcome?.reason?.length).toBeLessThan(300);
    expect(outcome?.reason?.isWellFormed()).toBe(true);
  });

  it("a reason with many long problems is cut", async () => {
    const names = Array.from({ length: 10 }, (_, index) => "x".repeat(300) + index);
    const [outcome] = await check([{ kind: "output_fits", schema: { ...schema, required: names } }], { output: "{}" });
    expect(outcome?.reason).toHaveLength(1_001);
  });

  it("the check did not end", async () => {
    const assertions: Assertion[] = [
      { kind: "output_matches", pattern: "a" },
      { kind: "output_fits", schema },
    ];
    expect(await check(assertions, { checker: endless })).toEqual([
      {
        assertion: 0,
        holds: false,
        reason:
          'Expected an output that matches "a", but the match could not be checked: the check took more than 5 seconds.',
      },
      {
        assertion: 1,
        holds: false,
        reason: "The output could not be checked against the schema: the check took more than 5 seconds.",
      },
    ]);
  });

  it("the cost is unknown", async () => {
    const turn = { facts: { ...facts, priced: false, used: { ...facts.used, dollars: 0 } }, files };
    const deps = { checkResult: inProcess, readFile: async () => undefined, signal: new AbortController().signal };
    expect(await checkAssertions([{ kind: "at_most", dollars: 1 }], turn, deps)).toEqual([
      {
        assertion: 0,
        holds: false,
        reason: "Expected at most $1, received no cost, because the agent has no prices.",
      },
    ]);
  });
});

it("assertions are checked in order, each by its index", async () => {
  const outcomes = await check([
    { kind: "tool_called", name: "run_shell" },
    { kind: "file_exists", name: "sum.txt" },
  ]);
  expect(outcomes.map(({ assertion, holds }) => [assertion, holds])).toEqual([
    [0, false],
    [1, true],
  ]);
});

describe("an assertion cannot be used", () => {
  it.each<[string, Assertion, string]>([
    [
      "a bad pattern",
      { kind: "output_matches", pattern: "(a" },
      "output_matches.pattern: expected a regular expression of RE2",
    ],
    ["lookahead", { kind: "file_matches", name: "a", pattern: "a(?=b)" }, "file_matches.pattern: expected a regular"],
    [
      "an empty pattern",
      { kind: "output_matches", pattern: "" },
      "output_matches.pattern: expected a regular expression, received an empty text",
    ],
    ["a very long pattern", { kind: "output_matches", pattern: "a".repeat(1_001) }, "at most 1000 are accepted"],
    [
      "an empty name of a file",
      { kind: "file_exists", name: " " },
      'file_exists.name: expected the name of a file, received " ".',
    ],
    [
      "an empty name of a tool",
      { kind: "tool_called", name: "" },
      'tool_called.name: expected the name of a tool, received "".',
    ],
    ["a bad schema", { kind: "output_fits", schema: { type: "objekt" } }, "output_fits.schema: /type"],
    ["no limit", { kind: "at_most" }, "at_most: expected steps, dollars or seconds, received none of them."],
  ])("%s", async (_, assertion, problem) => expect(await assertionProblem(assertion, { prices })).toContain(problem));

  it("a cost without prices", async () => {
    expect(await assertionProblem({ kind: "at_most", dollars: 1 }, {})).toBe(
      "at_most.dollars: the candidate has no prices, so its cost is unknown. Set prices in the agent, or remove dollars.",
    );
  });
});

it.each<Assertion>([
  { kind: "output_matches", pattern: "a" },
  { kind: "output_fits", schema },
  { kind: "file_equals", name: "a", sha256: sha("a") },
  { kind: "file_matches", name: "a", pattern: "a" },
  { kind: "tool_not_called", name: "run_shell" },
  { kind: "at_most", steps: 0, dollars: 1 },
])("$kind can be used", async (assertion) => expect(await assertionProblem(assertion, { prices })).toBeUndefined());

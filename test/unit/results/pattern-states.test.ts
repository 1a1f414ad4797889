import { RE2JS } from "re2js";
import { expect, it } from "vitest";
import { patternStates } from "../../../src/results/pattern-states.ts";
import { schemaProblems } from "../../../src/results/schema-problems.ts";

/** Instructions of the compiled program, which the package does not declare. */
function compiledLength(pattern: string): number {
  const { re2Input } = RE2JS.compile(pattern) as unknown as { re2Input: { prog: { inst: unknown[] } } };
  return re2Input.prog.inst.length;
}

it.each([
  "abc",
  "a{1000}",
  "(ab{3}c){10}x",
  String.raw`[a-z]{2,5}\d{3}\p{L}{4}`,
  "^[]a]{3}$",
  "[^]}]{20}",
  String.raw`[\]{}]{7}`,
  "abx{2,}",
  "(?:(?:a{30}){30}){1}",
  String.raw`\({3}a\{3}`,
  "[{]{3}",
  "(a|b{4}|(cd){5}){6}",
  "(a0001{1000})(a0002{1000})",
])("the states of %s are about the instructions that it compiles to", (pattern) => {
  const ratio = patternStates(pattern) / compiledLength(pattern);
  expect(ratio).toBeGreaterThan(0.3);
  expect(ratio).toBeLessThan(3);
});

function schemaOf(...patterns: string[]): object {
  const properties = Object.fromEntries(patterns.map((pattern, n) => [`p${n}`, { type: "string", pattern }]));
  return { type: "object", properties };
}

it("a schema whose repetitions take long to compile is refused", async () => {
  expect(await schemaProblems(schemaOf("^.{0,1000}$", String.raw`^\d{1,500}$`))).toEqual([]);
  expect(await schemaProblems(schemaOf("a", "(a{1000})".repeat(4)))).toEqual([
    "/properties/p1/pattern: written out, as x{3} is xxx, the repetitions have 4000 states; at most 3000 are accepted",
  ]);
  expect(await schemaProblems(schemaOf(...Array.from({ length: 30 }, (_, n) => `${n}.{1000}`)))).toEqual([
    "its patterns: written out, as x{3} is xxx, the repetitions have 30050 states; at most 20000 are accepted",
  ]);
});

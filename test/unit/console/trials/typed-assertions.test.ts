import { expect, test } from "vitest";
import {
  assertionFields,
  type AssertionKind,
  assertionKinds,
  assertionsOf,
  type TypedAssertion,
} from "../../../../console/trials/try/typed-assertions.ts";

const typed = (kind: AssertionKind, value = "", name = ""): TypedAssertion => ({ kind, name, value });

test.each<[TypedAssertion, object]>([
  [typed("output_matches", "^\\d+$"), { kind: "output_matches", pattern: "^\\d+$" }],
  [typed("output_fits", '{"type":"object"}'), { kind: "output_fits", schema: { type: "object" } }],
  [typed("file_exists", "kept", " a b.csv "), { kind: "file_exists", name: "a b.csv" }],
  [typed("file_matches", "x", "a.csv"), { kind: "file_matches", name: "a.csv", pattern: "x" }],
  [typed("tool_called", "", "crm__find"), { kind: "tool_called", name: "crm__find" }],
  [typed("tool_not_called", "", "web_fetch"), { kind: "tool_not_called", name: "web_fetch" }],
  [typed("steps", "3"), { kind: "at_most", steps: 3 }],
  [typed("dollars", "0.05"), { kind: "at_most", dollars: 0.05 }],
  [typed("seconds", " 1.5 "), { kind: "at_most", seconds: 1.5 }],
])("%o is sent as %o", (one, sent) => {
  expect(assertionsOf([one])).toEqual([sent]);
});

test.each<[TypedAssertion, string]>([
  [typed("output_matches"), "enter a pattern of RE2."],
  [typed("output_fits", "[1]"), "enter the JSON Schema as a JSON object."],
  [typed("output_fits", "{"), "enter the JSON Schema as a JSON object."],
  [typed("file_exists", "x", " "), "enter the name of the file."],
  [typed("tool_called"), "enter the name of the tool."],
  [typed("steps", "1.5"), "enter a whole number of steps from 0."],
  [typed("dollars", "-1"), "enter a number of dollars from 0."],
  [typed("seconds", "Infinity"), "enter a number of seconds from 0."],
])("%o is named with what is expected", (one, problem) => {
  expect(assertionsOf([typed("steps", "1"), one])).toBe(`Assertion 2: ${problem}`);
});

test("each kind has a field", () => {
  for (const kind of Object.keys(assertionKinds)) {
    expect(Object.keys(assertionFields[kind as AssertionKind]).length).toBeGreaterThan(0);
  }
});

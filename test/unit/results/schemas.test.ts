import { describe, expect, it, test } from "vitest";
import { checkResult } from "../../../src/results/check-result.ts";
import { schemaProblems } from "../../../src/results/schema-problems.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

/** `levels` schemas, one within the other. */
function nested(levels: number): object {
  return levels === 1 ? { type: "object" } : object({ child: nested(levels - 1) });
}

describe("a schema is accepted", () => {
  const recursive = object(
    { node: { $ref: "#/$defs/node" }, self: { $ref: "#" } },
    { $defs: { node: object({ children: { type: "array", items: { $ref: "#/$defs/node" } } }), "a/b": true } },
  );
  it.each([
    ["with the draft's name", object({}, { $schema: "https://json-schema.org/draft/2020-12/schema" })],
    ["with references to itself", recursive],
    ["with an escaped reference", { ...recursive, properties: { x: { $ref: "#/$defs/a~1b" } } }],
    ["with a pattern", object({ id: { type: "string", pattern: String.raw`^\d{4}-[A-Z]\/$` } })],
    ["with data that looks like schemas", object({ x: { const: { $ref: "http://x", pattern: "(" } } })],
    ["of 20 levels", nested(20)],
    ["of 64 KB", object({ x: { description: "x".repeat(65_536 - 55) } })],
  ])("%s", async (_, schema) => expect(await schemaProblems(schema)).toEqual([]));
});

describe("a schema is refused, with the place", () => {
  it.each<[string, object, string]>([
    [
      "a wrong type",
      object({ a: { type: "objekt" } }),
      "/properties/a/type: must be equal to one of the allowed values: array",
    ],
    ["a wrong keyword", object({ a: { minLength: "1" } }), "/properties/a/minLength: must be integer"],
    [
      "another draft",
      { $schema: "http://json-schema.org/draft-07/schema#" },
      "/$schema: expected https://json-schema.org/draft/2020-12/schema, received",
    ],
    [
      "a list",
      { type: "array" },
      '/type: expected "object", received "array"; put a list or a single value into a property',
    ],
    ["no type", {}, '/type: expected "object", received no type'],
    [
      "a reference elsewhere",
      object({ a: { $ref: "https://example.com/a.json" } }),
      "/properties/a/$ref: expected a schema within this one, such as #/$defs/NAME",
    ],
    [
      "a dangling reference",
      object({ a: { $ref: "#/$defs/b" } }),
      '/properties/a/$ref: expected a schema within this one, such as #/$defs/NAME, received "#/$defs/b"',
    ],
    ["an id", object({ a: { $id: "b" } }), "/properties/a/$id: it is not supported; remove it"],
    ["lookahead", object({ a: { pattern: "(?=a)b" } }), "/properties/a/pattern: expected a regular expression of RE2"],
    [
      "a pattern of names",
      object({}, { patternProperties: { "(": {} } }),
      "/patternProperties/(: expected a regular expression of RE2",
    ],
    ["21 levels", nested(21), "/properties/child".repeat(20) + ": it is nested more than 20 schemas deep"],
    [
      "more than 64 KB",
      object({ x: { description: "x".repeat(65_536) } }),
      "it has 65591 bytes of UTF-8 as JSON; at most 65536 are accepted",
    ],
  ])("%s", async (_, schema, problem) => {
    const problems = await schemaProblems(schema);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });
});

/** A schema with so many patterns. */
const patterns = (count: number, of: (index: number) => string) =>
  object(Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { pattern: of(index) }])));

test("different patterns together have at most 16,000 characters, and equal ones count once", async () => {
  const long = "x".repeat(900);
  expect(await schemaProblems(patterns(40, () => long))).toEqual([]);
  expect(await schemaProblems(patterns(17, (index) => `${long}${index}`))).toEqual([]);
  expect(await schemaProblems(patterns(18, (index) => `${long}${index}`))).toEqual([
    "its patterns have 16226 characters together, equal ones counted once; at most 16000 are accepted",
  ]);
});

describe("a result", () => {
  const lines = {
    type: "array",
    items: object({ amount: { type: "number", minimum: 0 } }, { required: ["amount"], additionalProperties: false }),
  };
  const schema = object(
    {
      lines,
      code: { type: "string", pattern: "^[A-Z]{3}$" },
      zip: { type: "string", pattern: String.raw`^\d{5}$` },
      day: { type: "string", format: "date" },
      kind: { const: "invoice" },
    },
    { required: ["lines"] },
  );

  it("fits", async () => {
    const text = '{"lines": [{"amount": 1e3}], "code": "EUR", "zip": "12345", "day": "2026-02-28", "kind": "invoice"}';
    expect(await checkResult(schema, text)).toEqual([]);
  });

  it.each<[string, string, string, string]>([
    ['{"lines": [{"amount": -1}]}', "/lines/0/amount", "to be >= 0", "-1"],
    ['{"lines": [{}]}', "/lines/0/amount", "a value", "nothing"],
    ['{"lines": [], "lines/1": 2, "code": "eur"}', "/code", 'to match pattern "^[A-Z]{3}$"', '"eur"'],
    ['{"lines": [{"amount": 1, "a/b": 2}]}', "/lines/0/a~1b", "no field of this name", "2"],
    ['{"lines": [], "zip": "EUR"}', "/zip", String.raw`to match pattern "^\d{5}$"`, '"EUR"'],
    ['{"lines": [], "day": "2026-02-31"}', "/day", 'to match format "date"', '"2026-02-31"'],
    ['{"lines": [], "kind": "offer"}', "/kind", '"invoice"', '"offer"'],
    ["[]", "", "object", "[]"],
    ["Total: 12", "", "JSON without any text around it", "Total: 12"],
    ["[".repeat(101), "", "at most 100 levels", "[".repeat(101)],
  ])("does not fit: %s", async (text, place, expected, received) => {
    expect(await checkResult(schema, text)).toEqual([{ place, expected, received }]);
  });

  it("has at most ten problems, and no long values", async () => {
    const text = JSON.stringify({ lines: Array.from({ length: 50 }, () => ({ amount: "x".repeat(1_000) })) });
    const problems = await checkResult(schema, text);
    expect(problems).toHaveLength(10);
    expect(problems[0]?.received).toHaveLength(201);
  });

  it("matches a pattern in linear time that takes JavaScript's engine for ever", async () => {
    const evil = object({ a: { type: "string", pattern: "^(a+)+$" } });
    expect(await checkResult(evil, JSON.stringify({ a: `${"a".repeat(50_000)}b` }))).toHaveLength(1);
  });
});

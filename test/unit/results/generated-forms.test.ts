import { describe, expect, it, test } from "vitest";
import { checkResult } from "../../../src/results/check-result.ts";
import { normalizedSchema } from "../../../src/results/normalized-schema.ts";
import { schemaProblems } from "../../../src/results/schema-problems.ts";
import { sentSchema } from "../../../src/agent/tools/sent-schema.ts";

const draft7 = "http://json-schema.org/draft-07/schema#";
const invoice = { type: "object", properties: { total: { type: "number" } }, required: ["total"] };
const titled = { ...invoice, title: "Invoice" };

describe("the schema of a generator becomes", () => {
  it.each<[string, object, object]>([
    ["itself, if it is read as it is", invoice, invoice],
    ["that of 2020-12 without the name of its draft", { ...invoice, $schema: draft7 }, invoice],
    [
      "its definition, if it is a reference to that",
      { $ref: "#/definitions/Invoice", definitions: { Invoice: invoice }, $schema: draft7 },
      { ...invoice, definitions: { Invoice: invoice } },
    ],
    [
      "its definition with the title of the root",
      { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/B" }, B: invoice }, title: "Invoice" },
      { ...titled, $defs: { A: { $ref: "#/$defs/B" }, B: invoice } },
    ],
    [
      "one with the keywords of 2020-12 for lists of fixed length",
      {
        $schema: draft7,
        type: "object",
        properties: { pair: { type: "array", items: [{ type: "string" }, { items: [{}] }], additionalItems: false } },
      },
      {
        type: "object",
        properties: { pair: { type: "array", prefixItems: [{ type: "string" }, { prefixItems: [{}] }], items: false } },
      },
    ],
  ])("%s", async (_, schema, expected) => {
    const normalized = normalizedSchema(schema);
    expect(normalized).toEqual(expected);
    expect(normalizedSchema(normalized)).toEqual(normalized);
    expect(await schemaProblems(normalized)).toEqual([]);
  });
});

describe("a schema stays as it is, and is refused, if", () => {
  it.each<[string, object]>([
    ["its draft is unknown", { ...invoice, $schema: "http://json-schema.org/draft-04/schema#" }],
    ["it has dependencies of draft 7", { ...invoice, $schema: draft7, dependencies: { a: ["b"] } }],
    [
      "checks beside a reference do not count in draft 7",
      { $schema: draft7, type: "object", properties: { a: { $ref: "#", minProperties: 1 } } },
    ],
    ["its root refers to itself", { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } }],
    ["its root has checks beside a reference", { $ref: "#/$defs/A", minProperties: 1, $defs: { A: invoice } }],
  ])("%s", async (_, schema) => {
    expect(normalizedSchema(schema)).toBe(schema);
    expect(await schemaProblems(schema)).toHaveLength(1);
  });
});

/** Patterns of generators, with texts that they match and others. JavaScript's own engine says the same of each. */
const patterns: [name: string, pattern: string, texts: string[]][] = [
  [
    "the e-mail address of zod 4.0",
    String.raw`^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`,
    ["a@b.de", "a.b+c@x-y.example.com", ".a@b.de", "a..b@c.de", "a@b..de", "a.@b.de", "a'@b.de", ""],
  ],
  [
    "the host name of zod 4",
    String.raw`^(?=.{1,253}\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\.?$`,
    ["example.com", "example.com.", "-a.com", `${"a.".repeat(126)}a`, `${"a.".repeat(126)}a.`, `${"a.".repeat(127)}a`],
  ],
  [
    "the IBAN of zod 4",
    String.raw`^[A-Z]{2}(?!00|01|99)\d{2}[A-Z0-9]{11,30}$`,
    [
      "DE02120300000000202051",
      "DE00120300000000202051",
      "DE01120300000000202051",
      "DE98120300000000202051",
      "DE99120300000000202051",
    ],
  ],
  [
    "the duration of zod 4",
    String.raw`^P(?:(\d+W)|(?!.*W)(?=\d|T\d)(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?)$`,
    ["P1W", "P", "PT", "P1Y", "P1Y2M3D", "P1DT", "PT1H2M3.5S", "P1YT1S", "PT5M", "P1W2D", "P2DT,5S", "P1M1Y", "PT0,5S"],
  ],
  [
    "a Decimal of pydantic 2.12",
    String.raw`^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$`,
    ["12.50", "-1", "+.5", "1.", "007", "", ".", "-", "+.", "1.2.3", "1e5", "--1"],
  ],
  ...[
    [10, 2, 8],
    [2, 4, 0],
    [3, 3, 0],
  ].map(([digits = 0, places = 0, whole = 0]): [string, string, string[]] => [
    `a Decimal of pydantic 2.12 with ${digits} digits, ${places} of them after the point`,
    String.raw`^(?!^[-+.]*$)[+-]?0*(?:\d{0,${whole}}|(?=[\d.]{1,${digits + 1}}0*$)\d{0,${whole}}\.\d{0,${places}}0*$)`,
    [
      "12345678.12",
      "123456789.1",
      "0012345678.1200",
      "1.123",
      "1.1200",
      "0.0012",
      ".01",
      ".1234",
      "0",
      "00",
      ".",
      "-",
      ".000",
      "",
    ],
  ]),
  [
    "a Decimal of pydantic 2.12 with 5 digits",
    String.raw`^(?!^[-+.]*$)[+-]?0*(?:\d{0,5}|(?=[\d.]{1,6}0*$)\d*\.\d*0*$)`,
    [
      "12345",
      "123456",
      "123.45",
      "123.456",
      "12.300000",
      "123456.0",
      "0.00001",
      "0.000001",
      "12345.",
      ".12345",
      ".123456",
      ".",
      "1230000.",
    ],
  ],
  [
    "a Decimal of pydantic 2.12 with 2 digits after the point",
    String.raw`^(?!^[-+.]*$)[+-]?0*\d*\.?\d{0,2}0*$`,
    ["1.23", "1.2300", "1.234", ".5", ".", "123456789", "-"],
  ],
];

describe("a pattern matches the same texts as in JavaScript:", () => {
  test.each(patterns)("%s", async (_, pattern, texts) => {
    const schema = { type: "object", properties: { texts: { items: { type: "string", pattern } } } };
    expect(await schemaProblems(schema)).toEqual([]);
    const problems = await checkResult(schema, JSON.stringify({ texts }));
    const refused = problems.map(({ place }) => texts[Number(place.slice("/texts/".length))]);
    expect(refused).toEqual(texts.filter((text) => !new RegExp(pattern).test(text)));
  });
});

test.each(["(?=a)b", "^(?=a)b|c", "^a(?!b)", "^(?<=a)b", String.raw`^(a)(?!\1)`])(
  "the pattern %s is refused: only lookaheads at the beginning are checks of the whole text",
  async (pattern) => {
    const problems = await schemaProblems({ type: "object", properties: { a: { pattern } } });
    expect(problems).toEqual([
      expect.stringMatching(/^\/properties\/a\/pattern: expected a regular expression of RE2/),
    ]);
  },
);

test("model servers get a schema without the patterns that they refuse", () => {
  const schema = {
    ...invoice,
    properties: { id: { type: "string", pattern: "^(?!x)" }, zip: { pattern: "^[0-9]{5}$" } },
  };
  expect(sentSchema(schema)).toEqual({
    ...invoice,
    properties: { id: { type: "string" }, zip: { pattern: "^[0-9]{5}$" } },
  });
  const values = { type: "object", default: { pattern: "^(?!x)" }, enum: [{ pattern: "^(?!x)" }] };
  expect(sentSchema(values)).toEqual(values);
});

import { isDeepStrictEqual } from "node:util";
import fc from "../../support/properties.ts";
import { describe, expect, test } from "vitest";
import { parseJsonBody } from "../../../src/api/validation/parse-json.ts";

const parse = (raw: string | Uint8Array) => parseJsonBody(raw, "application/json");

/** The value of a text; undefined if JSON.parse rejects it. */
function reference(raw: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(raw.replace(/^\ufeff/, "")) };
  } catch {
    return undefined;
  }
}

/** Whether a result is an issue with a position inside the text. */
function isIssueOf(answer: ReturnType<typeof parse>, raw: string): boolean {
  if ("value" in answer) return false;
  const { type, loc } = answer.issues[0] ?? {};
  if (raw === "") return type === "missing";
  return type === "json_invalid" && Number(loc?.[1]) <= [...raw].length;
}

/** Whether a text and its bytes are parsed as JSON.parse does. */
function agrees(raw: string): boolean {
  const expected = reference(raw);
  return [raw, Buffer.from(raw)].every((body) => {
    const answer = parse(body);
    return expected ? isDeepStrictEqual(answer, expected) : isIssueOf(answer, raw);
  });
}

const truncatedJson = fc.tuple(fc.json(), fc.nat()).map(([json, cut]) => {
  const characters = [...json];
  return `{"a": ${characters.slice(0, cut % characters.length).join("")}`;
});

// Texts of JSON tokens reach more of the parser than random ones.
const tokens = `{ } [ ] , : " \\ \\u 12 - . e + é 😀 "a" {"a": true nul null NaN Infinity \\" \\ud83d 0`.split(" ");
const token = fc.constantFrom(...tokens, " ", "\n", "\u0000", "\ufeff");

describe("parseJsonBody", () => {
  test("parses what JSON.parse parses, reports a position for the rest, and never throws", () => {
    const texts = fc.oneof(fc.string({ unit: token, maxLength: 20 }), fc.json(), fc.string({ unit: "binary" }));
    fc.assert(fc.property(texts, agrees), { numRuns: 5_000 });
  });

  test("finds the error in any truncated JSON", () => {
    fc.assert(fc.property(truncatedJson, (raw) => isIssueOf(parse(raw), raw)));
  });

  test.for([
    ["open", "[".repeat(100_000), 100_000],
    ["objects", '{"a":'.repeat(100_000), 500_000],
    ["closed wrongly", `${"[".repeat(100_000)}}`, 100_000],
  ] as const)("100,000 brackets, %s", ([, raw, position]) => {
    expect(parse(raw)).toMatchObject({ issues: [{ loc: ["body", position], ctx: { error: "Expecting value" } }] });
  });

  test("100,000 brackets, closed", () => {
    expect(parse("[".repeat(100_000) + "]".repeat(100_000))).toHaveProperty("value");
  });

  test("parses bytes that are part of a larger buffer", () => {
    const buffer = Buffer.from('xx{"a":"é"}yy');
    const part = new Uint8Array(buffer.buffer, buffer.byteOffset + 2, buffer.length - 4);
    expect(parse(part)).toEqual({ value: { a: "é" } });
  });

  test("counts characters, not UTF-16 units or bytes", () => {
    expect(parse('{"😀é": ]')).toMatchObject({ issues: [{ loc: ["body", 7], ctx: { error: "Expecting value" } }] });
  });
});

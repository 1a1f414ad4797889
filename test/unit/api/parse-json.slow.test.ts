import { isDeepStrictEqual } from "node:util";
import fc from "../../support/properties.ts";
import { describe, expect, test } from "vitest";
import { parseJsonBody } from "../../../src/http/validation/parse-json.ts";

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
function isIssueOf(answer: Awaited<ReturnType<typeof parse>>, raw: string): boolean {
  if ("value" in answer) return false;
  const { type, loc } = answer.issues[0] ?? {};
  if (raw === "") return type === "missing";
  return type === "json_invalid" && Number(loc?.[1]) <= [...raw].length;
}

/** Whether a text and its bytes are parsed as JSON.parse does. */
async function agrees(raw: string): Promise<boolean> {
  const expected = reference(raw);
  const answers = await Promise.all([parse(raw), parse(Buffer.from(raw))]);
  return answers.every((answer) => (expected ? isDeepStrictEqual(answer, expected) : isIssueOf(answer, raw)));
}

const truncatedJson = fc.tuple(fc.json(), fc.nat()).map(([json, cut]) => {
  const characters = [...json];
  return `{"a": ${characters.slice(0, cut % characters.length).join("")}`;
});

// Texts of JSON tokens reach more of the parser than random ones.
const tokens = `{ } [ ] , : " \\ \\u 12 - . e + é 😀 "a" {"a": true nul null NaN Infinity \\" \\ud83d 0`.split(" ");
const token = fc.constantFrom(...tokens, " ", "\n", "\u0000", "\ufeff");

describe("parseJsonBody", () => {
  test("parses what JSON.parse parses, reports a position for the rest, and never throws", async () => {
    const texts = fc.oneof(fc.string({ unit: token, maxLength: 20 }), fc.json(), fc.string({ unit: "binary" }));
    await fc.assert(fc.asyncProperty(texts, agrees), { numRuns: 5_000 });
  });

  test("finds the error in any truncated JSON", async () => {
    await fc.assert(fc.asyncProperty(truncatedJson, async (raw) => isIssueOf(await parse(raw), raw)));
  });

  test.for([
    ["open", "[".repeat(990), 990],
    ["objects", '{"a":'.repeat(990), 4_950],
    ["closed wrongly", `${"[".repeat(990)}}`, 990],
  ] as const)("990 levels of nesting, %s", async ([, raw, position]) => {
    expect(await parse(raw)).toMatchObject({
      issues: [{ loc: ["body", position], ctx: { error: "Expecting value" } }],
    });
  });

  test("990 levels of nesting, closed", async () => {
    expect(await parse("[".repeat(990) + "]".repeat(990))).toHaveProperty("value");
    expect(await parse(`[${`${"[".repeat(989)}${"]".repeat(989)},`.repeat(10)}1]`)).toHaveProperty("value");
  });

  test("parses bytes that are part of a larger buffer", async () => {
    const buffer = Buffer.from('xx{"a":"é"}yy');
    const part = new Uint8Array(buffer.buffer, buffer.byteOffset + 2, buffer.length - 4);
    expect(await parse(part)).toEqual({ value: { a: "é" } });
  });

  test("counts characters, not UTF-16 units or bytes", async () => {
    expect(await parse('{"😀é": ]')).toMatchObject({
      issues: [{ loc: ["body", 7], ctx: { error: "Expecting value" } }],
    });
  });

  test.for([
    ["991 arrays", "[".repeat(991) + "]".repeat(991), 990],
    ["991 objects", `${'{"é":'.repeat(991)}1${"}".repeat(991)}`, 4_950],
    ["ten million arrays", "[".repeat(10_000_000), 990],
  ] as const)("rejects deeper nesting: %s", async ([, raw, position]) => {
    const error = "More than 990 levels of nesting";
    expect(await parse(raw)).toMatchObject({
      issues: [{ type: "json_invalid", loc: ["body", position], ctx: { error } }],
    });
  });

  test.for([
    ["numbers", `[${"12345678901234567890,".repeat(100_000)}1]`, 100_000],
    ["one number", "1".repeat(100_001), 100_000],
    ["white space", `${" ".repeat(100_000)}1`, 100_000],
    ["empty arrays", `[${"[],".repeat(100_000)}1]`, 100_000],
    ["keys", `{${'"key":1,'.repeat(100_000)}"key":1}`, 200_000],
    ["strings", `[${'"[{\\\\é😀\\"",'.repeat(100_000)}1]`, 550_000],
  ] as const)("rejects more than 100,000 characters outside of strings: %s", async ([, raw, position]) => {
    const error = "More than 100000 characters outside of strings";
    expect(await parse(raw)).toMatchObject({
      issues: [{ type: "json_invalid", loc: ["body", position], ctx: { error } }],
    });
  });

  test("does not limit strings", async () => {
    const inString = '[{\\"\\\\'.repeat(100_000);
    expect(await parse(`{"${inString}": ["${inString}"]}`)).toHaveProperty("value");
    expect(await parse(`"${inString}`)).toMatchObject({
      issues: [{ ctx: { error: "Unterminated string starting at" } }],
    });
  });

  test("counts the characters before a byte that is not UTF-8", async () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\ufffd") }),
    );
    const repeated = fc.tuple(texts, fc.constantFrom(1, 400)).map(([text, times]) => text.toWellFormed().repeat(times));
    const damage = fc.constantFrom([0xff], [0x80], [0xc3], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0xc3, 0xa9, 0xa9]);
    await fc.assert(
      fc.asyncProperty(repeated, damage, texts, async (before, bytes, after) => {
        const raw = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(`"${after.toWellFormed()}`)]);
        const valid = [...before.replace(/^\ufeff/, "")].length + (bytes[1] === 0xa9 ? 1 : 0);
        expect(await parse(raw)).toMatchObject({ issues: [{ loc: ["body", valid], ctx: { error: "Invalid UTF-8" } }] });
      }),
    );
  });
});

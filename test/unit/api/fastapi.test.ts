import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { cases, casesJson } from "../../fastapi/cases.ts";
import { answer, type Answer, withoutLongInputs } from "../../fastapi/replay.ts";

const fixture = (name: string): string => readFileSync(new URL(`../../fastapi/${name}`, import.meta.url), "utf8");
const { answers } = JSON.parse(fixture("answers.json")) as { answers: Record<string, Answer> };

const invalid = (position: number, error: string) => ({
  type: "json_invalid",
  loc: ["body", position],
  msg: "JSON decode error",
  input: {},
  ctx: { error },
});
const nameIsNoString = { type: "string_type", loc: ["body", "name"], msg: "Input should be a valid string" };
const templateIdMissing = { type: "missing", loc: ["body", "template_id"], msg: "Field required" };

/** Responses that differ from FastAPI's. FastAPI itself responds with 400 or 500 to most of these. */
const differences: Record<string, { why: string; detail: unknown[] }> = {
  nan: { why: "NaN is not JSON (RFC 8259)", detail: [invalid(9, "Expecting value")] },
  infinity: { why: "Infinity is not JSON", detail: [invalid(6, "Expecting value")] },
  "minus-infinity": { why: "-Infinity is not JSON", detail: [invalid(0, "Expecting value")] },
  "too-large-number": {
    why: "JSON.stringify cannot echo a number over 1.8e308",
    detail: [
      { ...nameIsNoString, input: null },
      { ...templateIdMissing, input: { name: null } },
    ],
  },
  "too-many-digits": {
    why: "Python reads integers of 4,300 digits at most",
    detail: [
      { ...nameIsNoString, input: null },
      { ...templateIdMissing, input: { name: null } },
    ],
  },
  ...Object.fromEntries(
    ["\ud800", "\udfff\ud800", "é\ud83d"].map((input, index) => [
      `half-pair-${index}`,
      {
        why: "half a surrogate pair cannot be stored as UTF-8; pydantic rejects it only in fields with a length limit",
        detail: [
          {
            type: "string_unicode",
            loc: ["body", "input_text"],
            msg: "Input should be a valid string, unable to parse raw data as a unicode string",
            input,
          },
        ],
      },
    ]),
  ),
  "not-utf8": { why: "an issue like any other instead of 400", detail: [invalid(0, "Invalid UTF-8")] },
  "not-utf8-later": { why: "as not-utf8", detail: [invalid(13, "Invalid UTF-8")] },
  "not-utf8-cut": { why: "as not-utf8", detail: [invalid(10, "Invalid UTF-8")] },
  "not-utf8-surrogate": {
    why: "Python accepts encoded surrogates",
    detail: [invalid(1, "Invalid UTF-8")],
  },
  "not-utf8-text": {
    why: "an issue like any other instead of 500",
    detail: [
      {
        type: "model_attributes_type",
        loc: ["body"],
        msg: "Input should be a valid dictionary or object to extract fields from",
        input: "\ufffdA",
      },
    ],
  },
  utf16: { why: "JSON is sent as UTF-8 (RFC 8259)", detail: [invalid(0, "Invalid UTF-8")] },
  "very-deep": { why: "as not-utf8", detail: [invalid(990, "More than 990 levels of nesting")] },
  "very-deep-closed": { why: "as not-utf8", detail: [invalid(998, "More than 990 levels of nesting")] },
};

/** A response without the `ctx` that names the content type. FastAPI has none there. */
function withoutHint({ status, body }: Answer): Answer {
  const { detail } = body as { detail?: unknown };
  if (!Array.isArray(detail)) return { status, body };
  const issues = structuredClone(detail) as { ctx?: { error?: string } }[];
  for (const issue of issues) if (issue.ctx?.error?.endsWith("with Content-Type: application/json")) delete issue.ctx;
  return { status, body: { detail: issues } };
}

describe("responses equal the recorded responses of FastAPI", () => {
  const groups = Map.groupBy(cases, ({ id }) => id.split("-")[0] ?? id);
  test.for([...groups])("%s", async ([, group]) => {
    for (const one of group) {
      if (one.id in differences) continue;
      const received = withoutHint(await answer(one));
      expect(received, `${one.id}: ${JSON.stringify(one)}`).toEqual(withoutLongInputs(answers[one.id] as Answer));
    }
  });

  test("there is a recording for every case, and an issue of every type", () => {
    expect(casesJson === fixture("cases.json"), "run: node test/fastapi/cases.ts; python test/fastapi/record.py").toBe(
      true,
    );
    expect(Object.keys(answers)).toEqual(cases.map(({ id }) => id));
    const details = Object.values(answers).flatMap(({ body }) => (body as { detail?: unknown }).detail ?? []);
    const types = new Set(details.map((issue) => (issue as { type?: string }).type));
    expect([...types].filter((type) => type !== undefined).sort()).toEqual([
      "json_invalid",
      "list_type",
      "missing",
      "model_attributes_type",
      "string_too_long",
      "string_too_short",
      "string_type",
      "string_unicode",
      "too_long",
      "uuid_parsing",
      "uuid_type",
    ]);
  });
});

describe("responses that differ from FastAPI", () => {
  test.for(Object.entries(differences))("%s", async ([id, { detail }]) => {
    const one = cases.find((other) => other.id === id);
    expect(one && withoutHint(await answer(one))).toEqual({ status: 422, body: { detail } });
    expect(answers[id]).not.toEqual({ status: 422, body: { detail } });
  });
});

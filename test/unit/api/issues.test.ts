import { describe, expect, test } from "vitest";
import { validateCreateRequest } from "../../../dist/generated/v1.js";
import { issue } from "../../../src/http/validation/issue.ts";
import { validateCreate, validateRunId } from "../../../src/v1/public-requests.ts";

const echoes = (input: unknown): boolean => "input" in issue("t", [], "m", input);
const uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";

describe("validateCreate", () => {
  test("keeps the known fields and normalizes the id", () => {
    const body = { name: "n", template_id: `{${uuid.toUpperCase()}}`, input_text: null, files: [], other: 1 };
    expect(validateCreate(body)).toEqual({ value: { name: "n", template_id: uuid, input_text: null, files: [] } });
    const least = validateCreate({ name: "n", template_id: uuid });
    expect(least).toStrictEqual({ value: { name: "n", template_id: uuid } });
  });

  test("ignores __proto__", () => {
    const body = JSON.parse(`{"__proto__": {"name": "n", "template_id": "${uuid}"}}`) as object;
    const checked = validateCreate(body);
    expect("issues" in checked && checked.issues.map(({ type }) => type)).toEqual(["missing", "missing"]);
    expect(({} as { name?: unknown }).name).toBeUndefined();
  });

  test("does not keep an invalid body in memory", () => {
    validateCreate({ name: "n".repeat(201) });
    expect(validateCreateRequest.errors).toBeNull();
  });

  test("a list of a million items is one issue", () => {
    const checked = validateCreate({ name: "n", template_id: uuid, files: Array.from({ length: 1_000_000 }, () => 0) });
    expect("issues" in checked && checked.issues).toEqual([
      {
        type: "too_long",
        loc: ["body", "files"],
        msg: "List should have at most 10 items after validation, not 1000000",
        ctx: { field_type: "List", max_length: 10, actual_length: 1_000_000 },
      },
    ]);
  });
});

describe("validateRunId", () => {
  test("returns lower case with hyphens", () => {
    expect(validateRunId(`urn:uuid:${uuid.toUpperCase()}`)).toEqual({ value: uuid });
    expect(validateRunId(uuid.replaceAll("-", ""))).toEqual({ value: uuid });
  });

  test("reports the location of an invalid id", () => {
    expect(validateRunId("x")).toMatchObject({
      issues: [{ type: "uuid_parsing", loc: ["path", "agent_id"], input: "x" }],
    });
  });
});

describe("an issue's input", () => {
  test.for([
    ["text", (length: number) => "a".repeat(length - 2)],
    ["characters of two units", (length: number) => "😀".repeat(length - 2)],
    ["escapes", (length: number) => "a".repeat(length % 2) + "\n".repeat((length - 2) >> 1)],
    ["list", (length: number) => ["a".repeat(length - 4)]],
    ["numbers", (length: number) => [...Array.from({ length: (length - 4) >> 1 }, () => 1), length % 2 ? 10 : 1]],
    ["object", (length: number) => ({ a: { b: null }, c: "a".repeat(length - 22) })],
  ] as const)("%s: echoed up to 1,000 characters of JSON", ([, ofLength]) => {
    for (const length of [999, 1_000, 1_001, 1_002]) {
      const input: unknown = ofLength(length);
      const json = [...JSON.stringify(input)].length;
      expect(echoes(input), `${json} characters`).toBe(json <= 1_000);
    }
  });

  test("is not read to its end, however large it is", () => {
    let reads = 0;
    const list = new Proxy(
      Array.from({ length: 1_000_000 }, () => ({ b: "ccc" })),
      {
        get: (target, key) => {
          reads++;
          return Reflect.get(target, key) as unknown;
        },
      },
    );
    expect(echoes([{ a: list }, "d".repeat(10_000_000)])).toBe(false);
    expect(reads).toBeLessThan(1_000);
  });
});

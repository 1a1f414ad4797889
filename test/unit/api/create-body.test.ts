import fc from "../../support/properties.ts";
import { expect, test } from "vitest";
import { readCreateBody } from "../../../src/api/validation/create-body.ts";
import { validateCreate } from "../../../src/api/validation/issues.ts";
import { parseJsonBody } from "../../../src/api/validation/parse-json.ts";
import { decodeFiles } from "../../../src/runs/uploads.ts";

const type = "application/json";
const template_id = "00000000-0000-4000-8000-000000000001";
const long = Buffer.alloc(100_000, "long content").toString("base64");
const file = (filename: string, content: string): string =>
  `{"filename": ${JSON.stringify(filename)}, "content_base64" : "${content}"}`;
const body = (files: string, more = ""): string =>
  `{"name": "n", "template_id": "${template_id}"${more}, "files": [${files}]}`;

/** What a body is without a short cut: parsed as a whole. */
function whole(text: string) {
  const parsed = parseJsonBody(text, type);
  return "issues" in parsed ? parsed : validateCreate(parsed.value);
}

/** Issues as they are, files as their bytes. */
function outcome(read: ReturnType<typeof readCreateBody>) {
  if ("issues" in read) return read;
  const { files = [], ...rest } = read.value;
  try {
    return {
      ...rest,
      files: decodeFiles(files).map(({ name, content }) => [name, Buffer.from(content).toString("hex")]),
    };
  } catch (error) {
    return { ...rest, refused: (error as Error).message };
  }
}

test("a long content is bytes by the time the body is read, a short one still a text", () => {
  const read = readCreateBody(body([file("a", long), file("b", "QUJD")].join(",")), type);
  if ("issues" in read) throw new Error("refused");
  expect(read.value.files?.map(({ content_base64: content }) => typeof content)).toEqual(["object", "string"]);
});

const cases: Record<string, string> = {
  "two long contents": body([file("a", long), file("b", `${long.slice(0, -4)}QUJD`)].join(",")),
  "escapes elsewhere": body(file('q"u\\o\u00e9te\n', long), String.raw`, "input_text": "a\nb \"content_base64\": \"x"`),
  "text that is not ASCII": body(file("é.txt", long), ', "input_text": "日本 🚀"'),
  "not ASCII inside the content": body(file("a", `${long.slice(0, 70_000)}é${long.slice(70_001)}`)),
  "a byte order mark": `\uFEFF${body(file("a", long))}`,
  "an escaped key": body(String.raw`{"filename": "a", "content\u005fbase64": "${long}"}`),
  "an escape inside the content": body(file("a", `${long.slice(0, 70_000)}${String.raw`\u0041`}${long.slice(70_001)}`)),
  "the later of two equal keys": body(`{"filename": "a", "content_base64": "${long}", "content_base64": "QUJD"}`),
  "a long later of two equal keys": body(`{"filename": "a", "content_base64": "QUJD", "content_base64": "${long}"}`),
  "a key that ends like it": body(file("a", "QUJD"), String.raw`, "x\"content_base64": "${long}"`),
  "a long content where a name belongs": `{"name": {"content_base64": "${long}"}, "template_id": "${template_id}"}`,
  "a file without a name": body(`{"content_base64": "${long}"}`),
  "long content that is not base64": body([file("a", long), file("b", `${long.slice(0, -1)}-`)].join(",")),
  "a control character in a long content": body(file("a", `${long.slice(0, 70_000)}\n${long.slice(70_001)}`)),
  "no quote at the end": body(file("a", long)).replace('"}]}', "}]}"),
  "no JSON after a long content": body(file("a", long)).slice(0, -2),
  "letters instead of a key": `{"name"content_base64": "${long}"}`,
  "a surrogate alone": body(file("a", long), String.raw`, "input_text": "\ud800"`),
  "more than 10 MiB": body(Array.from({ length: 120 }, (_, index) => file(`f${index}`, long)).join(",")),
  "not base64 after more than 10 MiB": body(
    [...Array.from({ length: 120 }, (_, index) => file(`f${index}`, long)), file("last", "!")].join(","),
  ),
};

test.each(Object.entries(cases))("%s: as if the body was parsed as a whole", (_name, text) => {
  for (const raw of [text, Buffer.from(text)]) {
    const read = outcome(readCreateBody(raw, type));
    expect(JSON.stringify(read) === JSON.stringify(outcome(whole(text)))).toBe(true);
  }
});

test("bytes that are no UTF-8 beside a long content are told as ever", () => {
  const bytes = Buffer.from(body(file("a", long), ', "input_text": "t?"'));
  bytes[bytes.indexOf("?")] = 0xff;
  expect(outcome(readCreateBody(bytes, type))).toEqual(parseJsonBody(bytes, type));
});

test("any damage to a body with a long content is told as if it was parsed as a whole", () => {
  const text = body([file("a", long), file("b", long)].join(","), ', "input_text": "t"');
  const places = [...text.matchAll(/["{}[\],:]/g)].map(({ index }) => index);
  fc.assert(
    fc.property(
      fc.constantFrom(...places),
      fc.integer({ min: -3, max: 3 }),
      fc.constantFrom("", '"', "\\", "{", "}", ",", ":", "\n", "1", "content_base64", '"content_base64":"'),
      (place, offset, replacement) => {
        const at = Math.max(0, place + offset);
        const damaged = text.slice(0, at) + replacement + text.slice(at + 1);
        expect(outcome(readCreateBody(Buffer.from(damaged), type))).toEqual(outcome(whole(damaged)));
      },
    ),
    { numRuns: 300 },
  );
});

import fc from "../../support/properties.ts";
import { expect, test } from "vitest";
import { parseCreateBody } from "../../../src/v1/create-body.ts";
import { base64Uploads } from "../../../src/http/validation/base64-files.ts";
import { readUploads } from "../../../src/runs/files/uploads.ts";

const type = "application/json";
const template_id = "00000000-0000-4000-8000-000000000001";
const long = Buffer.alloc(100_000, "long content").toString("base64");
const file = (filename: string, content: string): string =>
  `{"filename": ${JSON.stringify(filename)}, "content_base64" : "${content}"}`;
const body = (files: string, more = ""): string =>
  `{"name": "n", "template_id": "${template_id}"${more}, "files": [${files}]}`;

/** The issues of a body, or the body with its decoded files. */
async function parse(raw: string | Uint8Array) {
  const read = await parseCreateBody(raw, type);
  if ("issues" in read) return read;
  const { files = [], ...rest } = read.value;
  try {
    return {
      ...rest,
      files: readUploads(base64Uploads(files)).map(({ name, content }) => [name, Buffer.from(content).toString("hex")]),
    };
  } catch (error) {
    return { ...rest, error: (error as Error).message };
  }
}

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
  "a key that ends like content_base64": body(file("a", "QUJD"), String.raw`, "x\"content_base64": "${long}"`),
  "a long content in place of a name": `{"name": {"content_base64": "${long}"}, "template_id": "${template_id}"}`,
  "a file without a name": body(`{"content_base64": "${long}"}`),
  "long content that is not base64": body([file("a", long), file("b", `${long.slice(0, -1)}-`)].join(",")),
  "a control character in a long content": body(file("a", `${long.slice(0, 70_000)}\n${long.slice(70_001)}`)),
  "a string that does not end": body(file("a", long)).replace('"}]}', "}]}"),
  "JSON that is cut after a long content": body(file("a", long)).slice(0, -2),
  "letters in place of a key": `{"name"content_base64": "${long}"}`,
  "half a surrogate pair": body(file("a", long), String.raw`, "input_text": "\ud800"`),
  "more than 10 MiB": body(Array.from({ length: 120 }, (_, index) => file(`f${index}`, long)).join(",")),
  "not base64 after more than 10 MiB": body(
    [...Array.from({ length: 120 }, (_, index) => file(`f${index}`, long)), file("last", "!")].join(","),
  ),
};

test.each(Object.entries(cases))("%s: text and bytes are parsed alike", async (_name, text) => {
  expect(JSON.stringify(await parse(Buffer.from(text))) === JSON.stringify(await parse(text))).toBe(true);
});

test("the last of two equal keys counts", async () => {
  const read = await parse(cases["the later of two equal keys"] ?? "");
  expect(read).toMatchObject({ files: [["a", Buffer.from("ABC").toString("hex")]] });
});

test("bytes that are not UTF-8 beside a long content are an issue", async () => {
  const bytes = Buffer.from(body(file("a", long), ', "input_text": "t?"'));
  bytes[bytes.indexOf("?")] = 0xff;
  expect(await parse(bytes)).toMatchObject({ issues: [{ type: "json_invalid", ctx: { error: "Invalid UTF-8" } }] });
});

test("text and bytes of a damaged body are parsed alike", async () => {
  const text = body([file("a", long), file("b", long)].join(","), ', "input_text": "t"');
  const places = [...text.matchAll(/["{}[\],:]/g)].map(({ index }) => index);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...places),
      fc.integer({ min: -3, max: 3 }),
      fc.constantFrom("", '"', "\\", "{", "}", ",", ":", "\n", "1", "content_base64", '"content_base64":"'),
      async (place, offset, replacement) => {
        const at = Math.max(0, place + offset);
        const damaged = text.slice(0, at) + replacement + text.slice(at + 1);
        expect(await parse(Buffer.from(damaged))).toEqual(await parse(damaged));
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  [undefined, "The Content-Type header is missing"],
  ["", "The Content-Type header is missing"],
  ["application/x-www-form-urlencoded", "Content-Type is application/x-www-form-urlencoded"],
  [`text/${"x".repeat(200)}`, `Content-Type is text/${"x".repeat(95)}…`],
])("the issue of a JSON body with the content type %j names the header", async (contentType, problem) => {
  const read = await parseCreateBody(body(""), contentType);
  expect(read).toEqual({
    issues: [
      {
        type: "model_attributes_type",
        loc: ["body"],
        msg: "Input should be a valid dictionary or object to extract fields from",
        input: body(""),
        ctx: { error: `${problem}; send the body with Content-Type: application/json` },
      },
    ],
  });
});

import { afterAll, expect, test } from "vitest";
import { sandboxDocumentReader, sandboxPageTaker } from "../../../src/sandbox/document-reader.ts";
import { pdf } from "../../fixtures/documents.ts";
import { sandbox } from "./sandbox.ts";

const takePages = sandboxPageTaker(sandbox);
const { signal } = new AbortController();

afterAll(() => sandbox.close());

test("pages of a PDF are copied in another process", async () => {
  const document = pdf("One.", "Two.", "Three.");
  const taken = await takePages(document, signal, "2-3");
  expect(taken).toMatchObject({ count: 3, first: 2, last: 3 });
  const content = "content" in taken ? taken.content : undefined;
  expect(await sandboxDocumentReader(sandbox)("pdf", content ?? new Uint8Array(), signal)).toEqual({
    text: "[Page 1 of 2]\nTwo.\n\n[Page 2 of 2]\nThree.",
  });
  expect(await takePages(document, signal)).toEqual({ count: 3, first: 1, last: 3 });
});

test.each([
  ["a page that it has not", pdf("One."), "2", 'there are no pages "2"; accepted: such as 3 or 3-5, of 1-1'],
  [
    "a damaged document",
    Buffer.from("%PDF-1.7 damaged"),
    undefined,
    expect.stringContaining("its pages cannot be read: "),
  ],
])("says what is wrong with %s", async (_, document, pages, problem) => {
  expect(await takePages(document, signal, pages)).toEqual({ problem });
});

import { expect, it } from "vitest";
import { parseChildMessage } from "../../src/sandbox/child-messages.ts";
import { sandboxDocumentReader } from "../../src/sandbox/document-reader.ts";

const result = { output: "", written: [], notes: [] };
const file = { name: "a", content: new Uint8Array(1) };

it("accepts the messages of a sandbox process, without unknown fields", () => {
  expect(parseChildMessage({ loaded: "document" })).toEqual({ loaded: "document" });
  expect(parseChildMessage({ failed: "x" })).toEqual({ failed: "x" });
  const full = { ...result, problem: "p", written: [file], notes: ["n"], dirty: true };
  expect(parseChildMessage({ result: { ...full, other: 1 } })).toEqual({ result: full });
});

it.each<[string, unknown]>([
  ["no object", null],
  ["no known field", { other: 1 }],
  ["no result", { result: null }],
  ["an output that is not a text", { result: { ...result, output: { length: 1 } } }],
  ["an output of 40 MB", { result: { ...result, output: "x".repeat(40 * 1024 * 1024) } }],
  ["a problem that is not a text", { result: { ...result, problem: 1 } }],
  ["notes that are not texts", { result: { ...result, notes: [1] } }],
  ["files that are not a list", { result: { ...result, written: { length: 0 } } }],
  ["a file without bytes", { result: { ...result, written: [{ name: "a", content: "x" }] } }],
  ["a file without a name", { result: { ...result, written: [{ ...file, name: 1 }] } }],
  ["too many files", { result: { ...result, written: Array.from({ length: 501 }, () => file) } }],
  ["files of 40 MB", { result: { ...result, written: [{ ...file, content: new Uint8Array(40 * 1024 * 1024) }] } }],
])("rejects %s", (_, message) => {
  expect(() => parseChildMessage(message)).toThrow("unexpected message");
});

it.each([
  ["The program was stopped after 30 seconds.", "reading it took more than 30 seconds"],
  ["The program was stopped: it used more than 512 MB of memory.", "reading it needed more than 512 MB of memory"],
  ["The sandbox process ended with SIGKILL.", "the sandbox process ended with SIGKILL"],
])("a document reader describes %j", async (problem, clause) => {
  const run = async () => ({ ...result, notes: [], problem });
  const readDocument = sandboxDocumentReader({ maxBytes: 1, run });
  expect(await readDocument("pdf", new Uint8Array(1), new AbortController().signal)).toEqual({ problem: clause });
});

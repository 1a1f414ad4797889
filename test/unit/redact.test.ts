import { expect, test } from "vitest";
import { redactSecrets } from "../../src/net/redact.ts";

const secret = 'pässword+/"42 ?>~';
const bytes = Buffer.from(secret);
const percent = encodeURIComponent(secret);
const everyByte = bytes.toString("hex").replaceAll(/../g, "%$&");

/** Base 64 of a text that contains the secret after some characters, without the ends that belong to other characters, too. */
const within = (before: number, encoding: "base64" | "base64url"): string =>
  Buffer.from(`${"-".repeat(before)}${secret}--`).toString(encoding);

test.each([
  ["as it is", secret],
  ["as JSON", JSON.stringify(secret)],
  ["in a URL", percent],
  ["in a URL, in lower case", percent.replaceAll(/%../g, (code) => code.toLowerCase())],
  ["in a form", new URLSearchParams({ "": secret }).toString().slice(1).replaceAll("%7E", "~")],
  ["percent-encoded as a whole", everyByte],
  ["percent-encoded as a whole, in upper case", everyByte.toUpperCase()],
  ["as hex", bytes.toString("hex")],
  ["as hex in upper case", bytes.toString("hex").toUpperCase()],
  ["as base 64", bytes.toString("base64")],
  ["as base 64 for URLs", bytes.toString("base64url")],
  ...[0, 1, 2].map((before): [string, string] => [`as base 64, after ${before}`, within(before, "base64")]),
  ...[0, 1, 2].map((before): [string, string] => [`as base 64 for URLs, after ${before}`, within(before, "base64url")]),
  ["reversed", [...secret].toReversed().join("")],
])("a secret is redacted %s", (_, form) => {
  const redacted = redactSecrets(`<${form}>`, [secret], "[secret]");
  expect(redacted).toContain("[secret]");
  // Of base 64, the characters that hold bits of neighbours remain, and those of the neighbours: at most 10. Else, quotes.
  expect(redacted.replace("[secret]", "").length).toBeLessThanOrEqual(2 + 10);
  expect(form.length).toBeGreaterThan(16);
});

test("a text without the secret stays as it is, also with a short secret in other forms", () => {
  const text = "deadbeef and YWJj and cba";
  expect(redactSecrets(text, [secret, "abc"], "[secret]")).toBe(text.replace("YWJj", "[secret]"));
});

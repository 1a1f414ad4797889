import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { costDocument } from "../../scripts/cost.ts";
import { scaleDocument } from "../../scripts/scale.ts";
import { unaligned, withTables } from "../../scripts/document-tables.ts";

test("docs/cost.md has the tables that the template, the counted calls and the prices give", async () => {
  const written = readFileSync(new URL("../../docs/cost.md", import.meta.url), "utf8");
  expect(unaligned(written), "docs/cost.md is stale: npm run docs").toBe(unaligned(await costDocument()));
});

test("docs/scale.md has the tables that the counted calls, the code's constants and the quotas give", async () => {
  const written = readFileSync(new URL("../../docs/scale.md", import.meta.url), "utf8");
  expect(unaligned(written), "docs/scale.md is stale: npm run docs").toBe(unaligned(await scaleDocument()));
});

test("a document and its tables have to fit", () => {
  const document = "a\n<!-- table: one -->\nold\n<!-- end -->\nb";
  expect(withTables(document, { one: "new" })).toBe("a\n<!-- table: one -->\n\nnew\n\n<!-- end -->\nb");
  expect(() => withTables(document, {})).toThrow("asks for a table one");
  expect(() => withTables(document, { one: "", two: "" })).toThrow("has no place for: two");
});

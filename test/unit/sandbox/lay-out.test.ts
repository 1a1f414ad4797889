import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contentName } from "../../../src/filenames.ts";
import { runContents } from "../../../src/platform/local/database/run-contents.ts";
import { copyOf, layOutFiles } from "../../../src/sandbox/linux/lay-out.ts";

test("each name of a workspace is a file of its own, and none is the stored content", async () => {
  const root = mkdtempSync(join(tmpdir(), "lay-out-"));
  const contents = runContents(root, "run");
  mkdirSync(contents.folder);
  const sha256 = createHash("sha256").update("same").digest("hex");
  writeFileSync(join(contents.folder, contentName(sha256)), "same");
  const names = ["a", "b", "folder/a"];
  const work = mkdtempSync(join(root, "work-"));
  const files = names.map((name) => ({ name, size: 4, sha256 }));
  await layOutFiles(work, files, copyOf(contents));
  expect(names.map((name) => statSync(join(work, name)).nlink)).toEqual([1, 1, 1]);
  writeFileSync(join(work, "a"), "changed");
  expect(names.map((name) => readFileSync(join(work, name), "utf8"))).toEqual(["changed", "same", "same"]);
  expect(readFileSync(join(contents.folder, contentName(sha256)), "utf8")).toBe("same");
});

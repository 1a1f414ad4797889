import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contentName } from "../../../src/filenames.ts";
import { runContents } from "../../../src/platform/local/database/run-contents.ts";
import { copiedContents, linkFiles } from "../../../src/sandbox/linux/file-links.ts";

test("copies of files whose names begin alike are complete, and are not the stored contents", async () => {
  const root = mkdtempSync(join(tmpdir(), "links-"));
  const contents = join(root, "run");
  mkdirSync(contents);
  const program = mkdtempSync(join(root, "program-"));
  const files = ["a", "a.stored", "folder/a"].map((name) => {
    const sha256 = createHash("sha256").update(name).digest("hex");
    writeFileSync(join(contents, contentName(sha256)), name);
    return { name, size: name.length, sha256 };
  });
  await linkFiles(join(program, "files"), files, copiedContents(runContents(root, "run"), program));
  for (const { name, sha256 } of files) {
    const copy = join(program, "files", name);
    expect(readFileSync(copy, "utf8")).toBe(name);
    writeFileSync(copy, "changed");
    expect(readFileSync(join(contents, contentName(sha256)), "utf8")).toBe(name);
  }
});

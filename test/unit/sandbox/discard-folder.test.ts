import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { discardFolder } from "../../../src/sandbox/linux/discard-folder.ts";
import { logging } from "../../../src/log.ts";

afterEach(() => void vi.unstubAllEnvs());

/** A new folder of programs with the folder of one. */
function programFolder(): { parent: string; folder: string } {
  const parent = join(mkdtempSync(join(tmpdir(), "discard-")), "programs");
  const folder = join(parent, "one");
  mkdirSync(folder, { recursive: true });
  return { parent, folder };
}

test("deletes folders whose paths are longer than the kernel accepts, closed ones included", async () => {
  const { parent, folder } = programFolder();
  const text = `cd "$1"; name=$(printf 'x%.0s' {1..200})
for n in {1..60}; do mkdir $name && cd -P $name && echo x > file || exit 1; done; mkdir closed; echo x > closed/file; chmod 0 . closed`;
  execFileSync("bash", ["-c", text, "bash", folder]);
  await discardFolder(folder);
  expect(readdirSync(parent)).toEqual([]);
});

test("follows no link", async () => {
  const { parent, folder } = programFolder();
  const other = join(parent, "..", "kept");
  mkdirSync(other);
  writeFileSync(join(other, "file"), "x");
  execFileSync("ln", ["-s", other, join(folder, "link")]);
  await discardFolder(folder);
  expect([readdirSync(parent), readdirSync(other)]).toEqual([[], ["file"]]);
});

test("moves a folder aside that cannot be deleted, and leaves it there the next time", async () => {
  const { parent, folder } = programFolder();
  const bin = mkdtempSync(join(tmpdir(), "no-rm-"));
  writeFileSync(join(bin, "rm"), "#!/bin/sh\necho 'rm: cannot remove secret: Read-only file system' >&2; exit 1", {
    mode: 0o755,
  });
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  logging.level = "error";
  await discardFolder(folder);
  expect([existsSync(folder), readdirSync(`${parent}-undeleted`)]).toEqual([false, ["one"]]);
  await discardFolder(join(`${parent}-undeleted`, "one"));
  const lines = written.mock.calls.map(([line]) => String(line));
  written.mockRestore();
  expect(readdirSync(`${parent}-undeleted`)).toEqual(["one"]);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain("Read-only file system");
  expect(lines.join("")).not.toContain("secret");
});

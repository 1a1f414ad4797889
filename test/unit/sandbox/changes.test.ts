import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { localWorkspace } from "../../../src/platform/local/workspace.ts";
import { runContents } from "../../../src/platform/local/database/run-contents.ts";
import { sha256Of } from "../../../src/agent/turn/files/manifest.ts";
import { collectChanges } from "../../../src/sandbox/linux/changes.ts";
import { copyOf, layOutFiles } from "../../../src/sandbox/linux/lay-out.ts";
import { Snapshot } from "../../../src/sandbox/linux/snapshot.ts";
import type { StoredFile } from "../../../src/sandbox/linux/linux-types.ts";

const limits = { files: 10, fileBytes: 1_000, writtenBytes: 10_000 };
const { signal } = new AbortController();
let root = "";
let work = "";
let secrets = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "changes-"));
  [work, secrets] = [join(root, "work"), join(root, "secrets")];
  mkdirSync(work);
  mkdirSync(join(secrets, "d"), { recursive: true });
  writeFileSync(join(secrets, "d/f"), "secret");
});

/** Changes of the folder. `swap`: runs when the list is known, before the contents of changed files are read. */
async function changes({
  before = [] as StoredFile[],
  swap = () => {},
  snapshot,
}: { before?: StoredFile[]; swap?: () => void; snapshot?: Snapshot } = {}) {
  const contents = runContents(root, "run");
  const read: string[] = [];
  const watched = {
    ...contents,
    async store(...args: Parameters<typeof contents.store>) {
      swap();
      const stored = await contents.store(...args);
      read.push(stored.sha256);
      return stored;
    },
  };
  const ended = { folder: work, before, ...(snapshot && { snapshot }) };
  return { read, result: await collectChanges(ended, watched, limits, signal) };
}

describe("links that take the place of files while they are collected", { skip: process.platform !== "linux" }, () => {
  it.each([
    ["a file", () => (rmSync(join(work, "d/f")), symlinkSync(join(secrets, "d/f"), join(work, "d/f")))],
    [
      "its folder",
      () => (renameSync(join(work, "d"), join(work, "e")), symlinkSync(join(secrets, "d"), join(work, "d"))),
    ],
  ])("are not followed in the place of %s", async (_, swap) => {
    mkdirSync(join(work, "d"));
    writeFileSync(join(work, "d/f"), "public");
    let isSwapped = false;
    const once = () => void (isSwapped ||= (swap(), true));
    await expect(changes({ swap: once })).rejects.toThrow(/ELOOP|ENOTDIR/);
  });

  it("are kept as links, whatever they lead to within the workspace", async () => {
    symlinkSync("../secrets/d/f", join(work, "out"));
    symlinkSync("/work/../secrets", join(work, "up"));
    symlinkSync("d/../../secrets", join(work, "around"));
    symlinkSync("/work/d", join(work, "in"));
    const { result } = await changes();
    expect(result.changed).toMatchObject([
      { name: "in", kind: "link", size: 7, sha256: sha256Of(Buffer.from("/work/d")) },
    ]);
    expect(result.notes).toEqual([
      "Not saved, because a symbolic link must lead to a place in the workspace: around, out, up.",
    ]);
  });
});

describe("files of earlier releases", () => {
  it("have the usual permissions and the time of their storing, and are not changed by that", async () => {
    const content = Buffer.from("old");
    const file = { name: "d/old", size: 3, sha256: sha256Of(content) };
    await localWorkspace(root).write("run", [{ sha256: file.sha256, content }]);
    const contents = runContents(root, "run");
    const stored = new Date("2024-05-06T07:08:09.123Z");
    utimesSync(join(contents.folder, `.sha256-${file.sha256}`), stored, stored);
    await layOutFiles(work, [file], copyOf(contents));
    expect(statSync(join(work, "d/old"))).toMatchObject({ mtimeMs: stored.getTime(), mode: 0o100644 });
    expect(statSync(join(work, "d"))).toMatchObject({ mtimeMs: stored.getTime(), mode: 0o040755 });
    const snapshot = await Snapshot.take(work, [file]);
    expect((await changes({ before: [file], snapshot })).result).toEqual({ changed: [], deleted: [], notes: [] });
    linkSync(join(work, "d/old"), join(work, "new"));
    const { result } = await changes({ before: [file], snapshot });
    expect(result.changed).toMatchObject([
      { name: "d/old", linked: 1 },
      { name: "new", linked: 1 },
    ]);
  });
});

import { beforeAll, describe, expect, test } from "vitest";
import type { FileVersion, ManifestFile } from "../../src/agent/turn/files/manifest.ts";
import type { Runs } from "../../src/runs/ports.ts";
import { created, firstMessages, input, newRun, numbered, onTurn, output } from "./run-fixtures.ts";

const file = (name: string, digit: string): FileVersion => ({ name, size: 3, sha256: digit.repeat(64) });

/** Contract tests of the manifests in `Runs`. `open` is called once. Each test creates its own runs. */
export function describeManifests(open: () => Promise<Runs>): void {
  let runs: Runs;
  beforeAll(async () => {
    runs = await open();
  });

  describe("manifests", () => {
    test("uploads are stored with the run, and files with the end of a turn", async () => {
      const run = newRun();
      const uploads = [file("a.txt", "a"), { name: "日本 +%.txt", size: 0, sha256: "b".repeat(64) }];
      await runs.create(run, firstMessages(input(1, "first")), { uploads });
      expect(await runs.load(run.id)).toMatchObject({ uploads });
      expect(await runs.load(run.id)).not.toHaveProperty("files");

      const files: ManifestFile[] = [{ ...file("a.txt", "c"), old: ["a".repeat(64)] }, file("new.txt", "d")];
      const set = { status: "finished", turn: 1, updatedAt: 7 } as const;
      const events = numbered(1, { messages: [output(1, "done")] });
      expect(await runs.change({ ...onTurn(run), set, ...events, files })).toBe(true);
      expect(await runs.load(run.id)).toMatchObject({ uploads, files, run: set });
      expect(await runs.read(run.id)).not.toHaveProperty("files");
    });

    test("files are replaced, also without uploads and when they are too large for one item", async () => {
      const run = await created(runs);
      expect(await runs.load(run.id)).not.toHaveProperty("uploads");
      const many = Array.from({ length: 200 }, (_, index): ManifestFile => {
        return { ...file(`${index}-${"x".repeat(240)}`, "a"), old: Array.from({ length: 20 }, () => "b".repeat(64)) };
      });
      expect(await runs.change({ ...onTurn(run), files: many })).toBe(true);
      expect((await runs.load(run.id))?.files).toEqual(many);
      expect(await runs.change({ ...onTurn(run), files: [file("last", "e")] })).toBe(true);
      expect((await runs.load(run.id))?.files).toEqual([file("last", "e")]);
    });

    test("a rejected change writes no files, and an erased run has none", async () => {
      const run = newRun();
      await runs.create(run, firstMessages(input(1, "first")), { uploads: [file("a.txt", "a")] });
      const stale = { runId: run.id, expect: { status: "finished", turn: 1 } } as const;
      expect(await runs.change({ ...stale, files: [file("b.txt", "b")] })).toBe(false);
      expect(await runs.load(run.id)).not.toHaveProperty("files");
      const set = { status: "terminated", turn: 1, updatedAt: 7 } as const;
      expect(await runs.change({ ...onTurn(run), set, files: [file("c.txt", "c")] })).toBe(true);
      expect(await runs.erase(run.id)).toBe(true);
      const erased = await runs.load(run.id);
      expect([erased?.uploads, erased?.files]).toEqual([undefined, undefined]);
    });
  });
}

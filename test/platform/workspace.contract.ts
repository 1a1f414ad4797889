import { createHash, randomBytes, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { safeFilenames } from "../../src/filenames.ts";
import type { Workspace } from "../../src/runs/ports.ts";

/** Contract tests of `Workspace`. `open` is called once. Each test uses its own run. */
export function describeWorkspace(open: () => Promise<Workspace>): void {
  describe("workspace", () => {
    let workspace: Workspace;
    beforeAll(async () => {
      workspace = await open();
    });

    const namesIn = async (runId: string) => (await workspace.list(runId)).map(({ name }) => name);

    test("a run without files has an empty list", async () => {
      const runId = randomUUID();
      expect(await workspace.list(runId)).toEqual([]);
      expect(await workspace.read(runId, "a.txt")).toBeUndefined();
      await workspace.removeAll(runId);
      await workspace.write(runId, []);
      expect(await workspace.list(runId)).toEqual([]);
    });

    test("every byte value and length reads back", async () => {
      const runId = randomUUID();
      const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index);
      const files = [
        { name: "bytes.bin", content: everyByte },
        { name: "empty", content: new Uint8Array() },
        { name: "one", content: Uint8Array.of(0) },
        { name: "crlf.txt", content: Buffer.from("a\r\nb\r\n\u0000\ufeff") },
        { name: "view.bin", content: everyByte.subarray(100, 200) },
      ];
      await workspace.write(runId, files);
      for (const { name, content } of files) expect(bytes(await workspace.read(runId, name))).toEqual(bytes(content));
      expect(await workspace.list(runId)).toEqual(
        files
          .map(({ name, content }) => ({ name, size: content.length }))
          .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      );
    });

    test("10 MiB read back, in ten files and in one", async () => {
      const runId = randomUUID();
      const parts = Array.from({ length: 10 }, (_, index) => ({
        name: `part-${index}`,
        content: randomBytes(1 << 20),
      }));
      const whole = { name: "whole", content: randomBytes(10 << 20) };
      await workspace.write(runId, parts);
      await workspace.write(runId, [whole]);
      for (const { name, content } of [...parts, whole]) {
        expect(sha256(await workspace.read(runId, name))).toBe(sha256(content));
      }
    });

    test("a file of the same name is replaced; other files are kept", async () => {
      const runId = randomUUID();
      await workspace.write(runId, [
        { name: "a.txt", content: Buffer.from("a long first version") },
        { name: "b.txt", content: Buffer.from("b") },
      ]);
      await workspace.write(runId, [{ name: "a.txt", content: Buffer.from("short") }]);
      expect(bytes(await workspace.read(runId, "a.txt"))).toEqual(bytes(Buffer.from("short")));
      expect(await workspace.list(runId)).toEqual([
        { name: "a.txt", size: 5 },
        { name: "b.txt", size: 1 },
      ]);
      await workspace.write(runId, [{ name: "a.txt", content: new Uint8Array() }]);
      expect(await workspace.read(runId, "a.txt")).toHaveLength(0);
    });

    test("names can contain any Unicode and special characters of URLs, shells and keys", async () => {
      const runId = randomUUID();
      const names = [
        "a b",
        "100%25.txt",
        "%2e%2e%2f",
        "a+b&c=d?#.txt",
        "a'b\"c`$(x);!.sh",
        "*[0]{1}~^<>|.txt",
        "日本語.txt",
        "naïve.md",
        "🤖👩‍👩‍👧.png",
        "עברית",
        "back..dots..",
        "no-extension",
        "CASE.txt",
        "case.TXT.x",
        `${"x".repeat(251)}.txt`,
        `${"字".repeat(84)}.md`,
      ];
      const files = names.map((name) => ({ name, content: Buffer.from(`I am ${name}`) }));
      await workspace.write(runId, files);
      expect(await namesIn(runId)).toEqual(names.toSorted());
      for (const { name, content } of files) expect(bytes(await workspace.read(runId, name))).toEqual(bytes(content));
    });

    test("every name of safeFilenames is accepted", async () => {
      const runId = randomUUID();
      const raw = ["../../etc/passwd", "..", "", ".env", "C:\\x\\y.txt", "a\u0000b", "CON", "x/y/z.txt", "Z.TXT", " "];
      const names = [...raw, "e\u0301.txt", "\ud800.txt", "字".repeat(255)].map(safeFilenames());
      await workspace.write(
        runId,
        names.map((name) => ({ name, content: Buffer.from(name) })),
      );
      expect(await namesIn(runId)).toEqual(names.toSorted());
    });

    const refused = ["", ".", "..", "../x", "a/b", "/etc/passwd", "a\\b", "..\\x", ".env", "a\u0000b", "/", "a/../b"];
    test.each(refused)("rejects %j as a file name and writes no file", async (name) => {
      const runId = randomUUID();
      const content = Buffer.from("x");
      const files = [
        { name: "good.txt", content },
        { name, content },
      ];
      await expect(workspace.write(runId, files)).rejects.toThrow(Error);
      await expect(workspace.read(runId, name)).rejects.toThrow(Error);
      expect(await workspace.list(runId)).toEqual([]);
    });

    test.each(["", "..", "a/b", "../x"])("rejects %j as a run id", async (runId) => {
      await expect(workspace.write(runId, [{ name: "a", content: Buffer.from("x") }])).rejects.toThrow(Error);
      await expect(workspace.read(runId, "a")).rejects.toThrow(Error);
      await expect(workspace.list(runId)).rejects.toThrow(Error);
      await expect(workspace.remove(runId, ["a"])).rejects.toThrow(Error);
      await expect(workspace.removeAll(runId)).rejects.toThrow(Error);
    });

    test("a long list is sorted by name", async () => {
      const runId = randomUUID();
      const names = Array.from({ length: 120 }, (_, index) => `file ${(index * 37) % 120}`);
      await workspace.write(
        runId,
        names.map((name) => ({ name, content: Buffer.from(name) })),
      );
      expect(await namesIn(runId)).toEqual(names.toSorted());
    });

    test("remove deletes the named files and ignores missing ones", async () => {
      const runId = randomUUID();
      const content = Buffer.from("x");
      await workspace.write(runId, [
        { name: "ä b.txt", content },
        { name: "c.txt", content },
      ]);
      await workspace.remove(runId, ["ä b.txt", "never.txt"]);
      expect(await namesIn(runId)).toEqual(["c.txt"]);
      await workspace.remove(runId, ["c.txt"]);
      expect(await namesIn(runId)).toEqual([]);
      await workspace.remove(randomUUID(), ["a"]);
      await expect(workspace.remove(runId, ["../x"])).rejects.toThrow(Error);
    });

    test("runs have separate files, and removeAll deletes those of one run", async () => {
      const one = randomUUID();
      const other = `${one}0`; // the first id is a prefix of it
      await workspace.write(one, [{ name: "a.txt", content: Buffer.from("one") }]);
      await workspace.write(other, [{ name: "a.txt", content: Buffer.from("other") }]);
      await workspace.removeAll(one);
      expect(await workspace.list(one)).toEqual([]);
      expect(await workspace.read(one, "a.txt")).toBeUndefined();
      expect(await workspace.list(other)).toEqual([{ name: "a.txt", size: 5 }]);
      await workspace.write(one, [{ name: "b.txt", content: Buffer.from("again") }]);
      expect(await namesIn(one)).toEqual(["b.txt"]);
    });

    test("concurrent writers of one file leave one complete content", async () => {
      const runId = randomUUID();
      const contents = Array.from({ length: 8 }, (_, index) => Buffer.alloc(100_000, index));
      await Promise.all(contents.map((content) => workspace.write(runId, [{ name: "a", content }])));
      const found = sha256(await workspace.read(runId, "a"));
      expect(contents.map((content) => sha256(content))).toContain(found);
      expect(await workspace.list(runId)).toEqual([{ name: "a", size: 100_000 }]);
    });
  });
}

/** As an array of numbers: stores return a Buffer or a Uint8Array. */
function bytes(content: Uint8Array | undefined): number[] | undefined {
  return content && [...content];
}

function sha256(content: Uint8Array | undefined): string | undefined {
  return content && createHash("sha256").update(content).digest("hex");
}

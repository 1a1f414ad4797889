import { randomBytes, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { sha256Of } from "../../src/agent/turn/files/manifest.ts";
import type { StoredContent, Workspace } from "../../src/runs/ports.ts";

/**
 * Contract tests of `Workspace`. `open` is called once. Each test uses its own run. `storedIn`: how many contents of a run are
 * stored.
 */
export function describeWorkspace(
  open: () => Promise<{
    workspace: Workspace;
    storedIn: (runId: string) => Promise<number>;
  }>,
): void {
  describe("workspace", () => {
    let workspace: Workspace;
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open();
      ({ workspace } = opened);
    });

    test("a run without files has none, and its deletion is a no-op", async () => {
      const runId = randomUUID();
      expect(await workspace.read(runId, sha256Of(Buffer.from("a")))).toBeUndefined();
      await workspace.removeAll(runId);
      await workspace.write(runId, []);
      expect(await opened.storedIn(runId)).toBe(0);
    });

    test("every byte value and length reads back", async () => {
      const runId = randomUUID();
      const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index);
      const contents = [
        everyByte,
        new Uint8Array(),
        Uint8Array.of(0),
        Buffer.from("a\r\nb\r\n\u0000\ufeff"),
        everyByte.subarray(100, 200),
      ].map(stored);
      await workspace.write(runId, contents);
      for (const { sha256, content } of contents) {
        expect(bytes(await workspace.read(runId, sha256))).toEqual(bytes(content));
      }
    });

    test("10 MiB read back, in ten contents and in one", async () => {
      const runId = randomUUID();
      const parts = Array.from({ length: 10 }, () => stored(randomBytes(1 << 20)));
      const whole = stored(randomBytes(10 << 20));
      await workspace.write(runId, parts);
      await workspace.write(runId, [whole]);
      for (const { sha256 } of [...parts, whole]) {
        expect(sha256Of((await workspace.read(runId, sha256)) ?? new Uint8Array())).toBe(sha256);
      }
    });

    test("the same content is stored once per run, and a repeated write changes nothing", async () => {
      const [runId, other] = [randomUUID(), randomUUID()];
      const [a, b] = [stored("a"), stored("b")];
      await workspace.write(runId, [a, a, b]);
      await workspace.write(runId, [a]);
      await workspace.write(other, [a]);
      expect([await opened.storedIn(runId), await opened.storedIn(other)]).toEqual([2, 1]);
      expect(textOf(await workspace.read(runId, a.sha256))).toBe("a");
    });

    const refused = ["", "a", "../x", "A".repeat(64), "g".repeat(64), `${"a".repeat(64)}/`, "a".repeat(65)];
    test.each(refused)("rejects %j as a hash and writes nothing", async (sha256) => {
      const runId = randomUUID();
      const content = Buffer.from("x");
      await expect(workspace.write(runId, [stored(content), { sha256, content }])).rejects.toThrow(Error);
      await expect(workspace.read(runId, sha256)).rejects.toThrow(Error);
      await expect(workspace.remove(runId, [sha256])).rejects.toThrow(Error);
      expect(await opened.storedIn(runId)).toBe(0);
    });

    test.each(["", "..", "a/b", "../x"])("rejects %j as a run id", async (runId) => {
      const content = stored("x");
      await expect(workspace.write(runId, [content])).rejects.toThrow(Error);
      await expect(workspace.read(runId, content.sha256)).rejects.toThrow(Error);
      await expect(workspace.remove(runId, [content.sha256])).rejects.toThrow(Error);
      await expect(workspace.removeAll(runId)).rejects.toThrow(Error);
    });

    test("remove deletes the named contents and ignores missing ones", async () => {
      const runId = randomUUID();
      const [a, b, never] = [stored("a"), stored("b"), stored("never")];
      await workspace.write(runId, [a, b]);
      await workspace.remove(runId, [a.sha256, never.sha256]);
      expect(await workspace.read(runId, a.sha256)).toBeUndefined();
      expect(textOf(await workspace.read(runId, b.sha256))).toBe("b");
      await workspace.remove(runId, [b.sha256]);
      expect(await opened.storedIn(runId)).toBe(0);
      await workspace.write(runId, [a]);
      expect(textOf(await workspace.read(runId, a.sha256))).toBe("a");
      await workspace.remove(randomUUID(), [a.sha256]);
    });

    test("contents are linked to another run, which keeps them; those that are no longer kept are named", async () => {
      const [from, to] = [randomUUID(), randomUUID()];
      const [a, b, gone] = [stored("a"), stored(randomBytes(100_000)), stored("gone")];
      await workspace.write(from, [a, b, gone]);
      await workspace.remove(from, [gone.sha256]);
      const all = [a, gone, b, gone].map(({ sha256 }) => sha256);
      for (let again = 0; again < 2; again++) expect(await workspace.link(from, to, all)).toEqual([gone.sha256]);
      expect(await opened.storedIn(to)).toBe(2);
      await workspace.removeAll(from);
      expect(textOf(await workspace.read(to, a.sha256))).toBe("a");
      expect(bytes(await workspace.read(to, b.sha256))).toEqual(bytes(b.content));
      expect(await workspace.link(from, to, [a.sha256])).toEqual([a.sha256]);
      expect(await workspace.link(from, randomUUID(), [])).toEqual([]);
    });

    test("a link with a wrong run id or hash is rejected and stores nothing", async () => {
      const [from, to] = [randomUUID(), randomUUID()];
      const { sha256, content } = stored("x");
      await workspace.write(from, [{ sha256, content }]);
      for (const wrong of ["", "..", "a/b"]) {
        await expect(workspace.link(from, wrong, [sha256])).rejects.toThrow(Error);
        await expect(workspace.link(wrong, to, [sha256])).rejects.toThrow(Error);
        await expect(workspace.link(from, to, [wrong])).rejects.toThrow(Error);
      }
      expect(await opened.storedIn(to)).toBe(0);
    });

    test("removeAll deletes the contents of one run", async () => {
      const one = randomUUID();
      const other = `${one}0`; // the first id is a prefix of it
      const a = stored("a");
      await workspace.write(one, [a]);
      await workspace.write(other, [a]);
      await workspace.removeAll(one);
      expect([await opened.storedIn(one), await opened.storedIn(other)]).toEqual([0, 1]);
      expect(await workspace.read(one, a.sha256)).toBeUndefined();
      await workspace.write(one, [a]);
      expect(await opened.storedIn(one)).toBe(1);
    });

    test("concurrent writers of one content leave it whole", async () => {
      const runId = randomUUID();
      const content = stored(Buffer.alloc(100_000, 7));
      await Promise.all(Array.from({ length: 8 }, () => workspace.write(runId, [content])));
      expect(sha256Of((await workspace.read(runId, content.sha256)) ?? new Uint8Array())).toBe(content.sha256);
      expect(await opened.storedIn(runId)).toBe(1);
    });
  });
}

function stored(data: string | Uint8Array): StoredContent {
  const content = typeof data === "string" ? Buffer.from(data) : data;
  return { sha256: sha256Of(content), content };
}

/** As an array of numbers: stores return a Buffer or a Uint8Array. */
function bytes(content: Uint8Array | undefined): number[] | undefined {
  return content && [...content];
}

/** S3 returns plain bytes, and a directory a Buffer. */
function textOf(content: Uint8Array | undefined): string {
  return Buffer.from(content ?? []).toString();
}

import { randomBytes, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { sha256Of } from "../../src/agent/turn/files/manifest.ts";
import type { PendingUpload, Stores } from "../../src/runs/ports.ts";

const organizationId = randomUUID();

type Owner = Parameters<Stores["pendingUploads"]["release"]>[0];

/** An upload of this content. */
export function newUpload(content: Uint8Array, fields: Partial<PendingUpload> = {}): PendingUpload {
  return {
    id: randomUUID(),
    agentId: randomUUID(),
    name: "data.csv",
    size: content.length,
    sha256: sha256Of(content),
    createdAt: 1_763_000_000_001,
    expiresAt: 1_763_086_400_001,
    ...fields,
  };
}

/** Contract tests of `PendingUploads`. `open` is called once. `send`: stores the content of an upload as its client does. */
export function describePendingUploads(
  open: () => Promise<
    Pick<Stores, "pendingUploads" | "workspace"> & {
      send: (upload: PendingUpload, content: Uint8Array) => Promise<void>;
    }
  >,
): void {
  describe("pending uploads", () => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open();
    });

    async function added(content: Uint8Array): Promise<PendingUpload> {
      const upload = newUpload(content);
      await opened.pendingUploads.add(upload, { organizationId });
      return upload;
    }

    const readBack = async (runId: string, { sha256 }: PendingUpload) => {
      const content = await opened.workspace.read(runId, sha256);
      return content && sha256Of(content);
    };

    test("an upload is found by its id, and an unknown id is not", async () => {
      const names = ["data.csv", "../../etc/passwd", "日本語 🤖.txt", "a\u0000b"];
      for (const name of names) {
        const upload = newUpload(Buffer.from("x"), { name });
        await opened.pendingUploads.add(upload, { organizationId });
        expect(await opened.pendingUploads.find(upload.id)).toEqual(upload);
      }
      expect(await opened.pendingUploads.find(randomUUID())).toBeUndefined();
    });

    test("an upload that is added again has its new times, and keeps its content", async () => {
      const upload = await added(Buffer.from("x"));
      await opened.send(upload, Buffer.from("x"));
      const again = { ...upload, createdAt: upload.createdAt + 5, expiresAt: upload.expiresAt + 5 };
      await opened.pendingUploads.add(again, { organizationId });
      expect(await opened.pendingUploads.find(upload.id)).toEqual(again);
      expect(await opened.pendingUploads.copyTo(randomUUID(), again)).toBe(true);
    });

    test("a content that has not arrived is not copied, and leaves nothing behind", async () => {
      const upload = await added(Buffer.from("later"));
      const runId = randomUUID();
      expect(await opened.pendingUploads.copyTo(runId, upload)).toBe(false);
      expect(await readBack(runId, upload)).toBeUndefined();
      await opened.send(upload, Buffer.from("later"));
      expect(await opened.pendingUploads.copyTo(runId, upload)).toBe(true);
      expect(await readBack(runId, upload)).toBe(upload.sha256);
    });

    test.each([0, 1, 3_000_001])("a content of %i bytes is copied to each run that names it", async (size) => {
      const content = randomBytes(size);
      const upload = await added(content);
      await opened.send(upload, content);
      const runs = [randomUUID(), randomUUID()];
      for (const runId of [...runs, ...runs]) expect(await opened.pendingUploads.copyTo(runId, upload)).toBe(true);
      for (const runId of runs) expect(await readBack(runId, upload)).toBe(upload.sha256);
    });

    test("an upload stays usable when a run with its content is deleted", async () => {
      const content = randomBytes(1_000);
      const upload = await added(content);
      await opened.send(upload, content);
      const [deleted, other] = [randomUUID(), randomUUID()];
      await opened.pendingUploads.copyTo(deleted, upload);
      await opened.workspace.removeAll(deleted);
      expect(await readBack(deleted, upload)).toBeUndefined();
      expect(await opened.pendingUploads.copyTo(other, upload)).toBe(true);
      expect(await readBack(other, upload)).toBe(upload.sha256);
    });

    test("an upload is removed with the last run that was created with it", async () => {
      const content = randomBytes(1_000);
      const upload = await added(content);
      await opened.send(upload, content);
      const [first, second] = [randomUUID(), randomUUID()].map((id) => ({ id, agentId: upload.agentId })) as [
        Owner,
        Owner,
      ];
      for (const { id } of [first, second]) await opened.pendingUploads.copyTo(id, upload);
      for (const run of [first, first]) await opened.pendingUploads.release(run);
      expect(await opened.pendingUploads.find(upload.id)).toEqual(upload);
      await opened.pendingUploads.release(second);
      expect(await opened.pendingUploads.find(upload.id)).toBeUndefined();
      expect(await opened.pendingUploads.copyTo(first.id, upload)).toBe(false);
      expect(await readBack(second.id, upload)).toBe(upload.sha256);
      expect(await opened.pendingUploads.find(upload.id)).toBeUndefined();
    });

    test("uploads count for agent and organization, a repeated one once, until a deleted run takes them along", async () => {
      const owner = { agentId: randomUUID(), organizationId: randomUUID() };
      const sibling = { ...owner, agentId: randomUUID() };
      const hour = 3_600_000;
      const made = (size: number, agentId = owner.agentId) =>
        newUpload(Buffer.alloc(size, "x"), { agentId, createdAt: Date.now(), expiresAt: Date.now() + 24 * hour });
      const add = (upload: PendingUpload) => opened.pendingUploads.add(upload, owner);
      const [first, second] = [made(100), made(20)];
      for (const upload of [first, second, made(7, sibling.agentId)]) expect(await add(upload)).toBeUndefined();
      expect(await opened.pendingUploads.pendingUse(owner)).toEqual({
        agent: { uploads: 2, bytes: 120 },
        organization: { uploads: 3, bytes: 127 },
      });
      const again = { ...first, createdAt: first.createdAt + 2 * hour, expiresAt: first.expiresAt + 2 * hour };
      const all = Promise.all([add(again), add(again), add(second)]);
      expect(await all).toEqual([undefined, undefined, undefined]);
      expect(await opened.pendingUploads.pendingUse(sibling)).toEqual({
        agent: { uploads: 1, bytes: 7 },
        organization: { uploads: 3, bytes: 127 },
      });
      await opened.send(again, Buffer.alloc(100, "x"));
      const run = { id: randomUUID(), agentId: owner.agentId };
      await opened.pendingUploads.copyTo(run.id, again);
      for (const deleted of [run, run]) await opened.pendingUploads.release(deleted);
      expect(await opened.pendingUploads.pendingUse(owner)).toEqual({
        agent: { uploads: 1, bytes: 20 },
        organization: { uploads: 2, bytes: 27 },
      });
      const none = { agentId: randomUUID(), organizationId: randomUUID() };
      const unused = { uploads: 0, bytes: 0 };
      expect(await opened.pendingUploads.pendingUse(none)).toEqual({ agent: unused, organization: unused });
    });

    test.each(["agent", "organization"] as const)("a limit of the %s stores no further upload", async (scope) => {
      const owner = { agentId: randomUUID(), organizationId: randomUUID() };
      const add = (size: number, limit: { uploads?: number; bytes?: number }) => {
        const times = { createdAt: Date.now(), expiresAt: Date.now() + 3_600_000 };
        const upload = newUpload(Buffer.alloc(size), { agentId: owner.agentId, ...times });
        const limits = { [scope]: limit };
        return { upload, refusal: opened.pendingUploads.add(upload, { ...owner, limits }) };
      };
      const first = add(60, { uploads: 1, bytes: 60 });
      expect(await first.refusal).toBeUndefined();
      const use = { uploads: 1, bytes: 60 };
      for (const limit of [{ bytes: 100 }, { uploads: 1 }, { uploads: 1, bytes: 1_000 }]) {
        const refused = add(41, limit);
        expect(await refused.refusal).toEqual({ scope, use, limit });
        expect(await opened.pendingUploads.find(refused.upload.id)).toBeUndefined();
      }
      const limits = { [scope]: { uploads: 1, bytes: 1 } };
      expect(await opened.pendingUploads.add(first.upload, { ...owner, limits })).toBeUndefined(); // already registered
      expect(await add(40, { uploads: 2, bytes: 100 }).refusal).toBeUndefined();
    });

    test("a run can have the same content from a create and from an upload", async () => {
      const content = randomBytes(1_000);
      const upload = await added(content);
      await opened.send(upload, content);
      const runId = randomUUID();
      await opened.workspace.write(runId, [{ sha256: upload.sha256, content }]);
      expect(await opened.pendingUploads.copyTo(runId, upload)).toBe(true);
      expect(await readBack(runId, upload)).toBe(upload.sha256);
    });

    test.each(["", "..", "a/b", "../x"])("rejects %j as a run id", async (runId) => {
      const upload = await added(Buffer.from("x"));
      await opened.send(upload, Buffer.from("x"));
      await expect(opened.pendingUploads.copyTo(runId, upload)).rejects.toThrow(Error);
    });
  });
}

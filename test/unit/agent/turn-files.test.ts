import fc from "../../support/properties.ts";
import { describe, expect, it } from "vitest";
import { type ManifestFile, manifestHash, manifestOf, sha256Of } from "../../../src/agent/turn/files/manifest.ts";
import type { CallFiles, FileChanges, TurnFiles } from "../../../src/agent/turn/files/workspace-types.ts";
import { openFiles, type Space, spaceOf, textsIn } from "./scripted.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const textOf = async (call: CallFiles, name: string): Promise<string> => String(await call.read(name));

/** A journal in memory. `changes` holds those of the recorded results, in order. */
function recorder() {
  const changes: FileChanges[] = [];
  const record = async (each: FileChanges): Promise<boolean> => {
    changes.push(each);
    return true;
  };
  return { changes, record, recorded: () => changes.flatMap(({ files }) => (files ? [files] : [])) };
}

async function write(files: TurnFiles, name: string, text: string, record = recorder().record): Promise<void> {
  const call = await files.startCall();
  await call.update(() => call.write(name, bytes(text)));
  await call.end(record);
}

/** Deletes files in one call. Resolves with the manifest after it. */
async function removeAll(files: TurnFiles, names: string[]): Promise<ManifestFile[]> {
  const call = await files.startCall();
  for (const name of names) await call.remove(name);
  await call.end(recorder().record);
  await files.settled();
  return (await files.changed()) ?? [];
}

const append = (call: CallFiles, name: string, text: string): Promise<void> =>
  call.update(async () => {
    const before = await call.read(name);
    await call.write(name, Buffer.concat([before ?? bytes(""), bytes(text)]));
  });

describe("the files of a tool call", () => {
  it("are those at its start, with its own changes; others see the changes when its result is recorded", async () => {
    const files = openFiles(spaceOf({ a: "1" }));
    const [writer, reader] = [await files.startCall(), await files.startCall()];
    await writer.write("a", bytes("2"));
    await writer.write("b", bytes("3"));
    expect([await textOf(writer, "a"), await textOf(reader, "a")]).toEqual(["2", "1"]);
    expect(await reader.list()).toEqual([{ name: "a", size: 1 }]);
    expect(await textOf(await files.startCall(), "a")).toBe("1");
    await writer.end(recorder().record);
    expect(await reader.list()).toEqual([{ name: "a", size: 1 }]);
    expect(await (await files.startCall()).list()).toEqual([
      { name: "a", size: 1 },
      { name: "b", size: 1 },
    ]);
  });

  it("are lost when its result is not recorded, so that a repeated call starts from the same files", async () => {
    const space = spaceOf({ log: "start" });
    for (let crash = 0; crash < 3; crash++) {
      const files = openFiles(space);
      const call = await files.startCall();
      await append(call, "log", " end");
      await expect(call.end(() => Promise.reject(new Error("killed")))).rejects.toThrow("killed");
      expect(await files.list()).toEqual([{ name: "log", size: 5 }]);
    }
    const files = openFiles(space);
    const call = await files.startCall();
    await append(call, "log", " end");
    await call.end(recorder().record);
    expect(await textsIn(space, files)).toEqual({ log: "start end" });
  });

  it("cannot be changed after its end", async () => {
    const files = openFiles(spaceOf());
    const call = await files.startCall();
    await call.end(recorder().record);
    await expect(call.write("a", bytes("late"))).rejects.toThrow("has ended");
    await expect(call.update(async () => {})).rejects.toThrow("has ended");
  });

  it("cannot be changed once the run has stopped", async () => {
    const stop = new AbortController();
    const space = spaceOf();
    const files = openFiles(space, [], { signal: stop.signal });
    const call = await files.startCall();
    stop.abort(new Error("stopped"));
    await expect(call.write("a", bytes("x"))).rejects.toThrow("stopped");
    expect(space.contents.size).toBe(0);
  });

  it("are an error when the store has lost a content", async () => {
    const space = spaceOf({ a: "1" });
    space.contents.clear();
    const call = await openFiles(space).startCall();
    await expect(call.read("a")).rejects.toThrow(/content [0-9a-f]{64} of a file is missing/);
    expect(await call.read("b")).toBeUndefined();
  });
});

describe("deletions", () => {
  it("are recorded like changes, and later calls and turns do not see the file", async () => {
    const space = spaceOf({ a: "1", b: "2" });
    const files = openFiles(space);
    const { changes, record, recorded } = recorder();
    const call = await files.startCall();
    await call.update(async () => {
      await call.remove("a");
      await call.remove("never there");
      expect(await call.list()).toEqual([{ name: "b", size: 1 }]);
      expect([await call.read("a"), call.find("a")]).toEqual([undefined, undefined]);
    });
    await call.end(record);
    expect(changes[0]?.files).toEqual([{ name: "a", size: 0, deleted: true }]);
    expect(changes[0]?.manifest).toBe(manifestHash(manifestOf(space.start.filter(({ name }) => name === "b"))));
    expect(await files.list()).toEqual([{ name: "b", size: 1 }]);
    const reopened = openFiles(space, [], { changes: recorded() });
    expect(await reopened.list()).toEqual([{ name: "b", size: 1 }]);
    expect(await reopened.changed()).toEqual(await files.changed());
  });

  it("keep the old contents, also when the file is written again, until there are more than are kept", async () => {
    const space = spaceOf();
    const files = openFiles(space, [], { keep: 2 });
    const remove = async () => {
      const call = await files.startCall();
      await call.remove("a");
      await call.end(recorder().record);
    };
    for (const text of ["1", "2", "3"]) {
      await write(files, "a", text);
      await remove();
    }
    await files.settled();
    const [one, two, three] = ["1", "2", "3"].map((text) => sha256Of(bytes(text)));
    expect(await files.changed()).toEqual([{ name: "a", size: 0, deleted: true, old: [three, two] }]);
    expect([...space.contents.keys()]).not.toContain(one);
    await write(files, "a", "2");
    expect(await files.changed()).toEqual([
      { name: "a", size: 1, sha256: two, mtime: expect.any(Number), old: [three] },
    ]);
    expect(await textOf(await files.startCall(), "a")).toBe("2");
  });

  it("are kept for 2,000 files: the contents of those deleted first are removed, also after a restart", async () => {
    const names = Array.from({ length: 2_003 }, (_, index) => `${(index * 7_919) % 2_003}`);
    const space = spaceOf(Object.fromEntries(names.map((name) => [name, `text ${name}`])));
    const start = await removeAll(openFiles(space), names.slice(0, 1_000));
    const end = await removeAll(openFiles({ ...space, start }), names.slice(1_000));
    expect(end.map(({ name }) => name)).toEqual(names.slice(3));
    const gone = names.filter((name) => !space.contents.has(sha256Of(bytes(`text ${name}`))));
    expect(gone).toEqual(names.slice(0, 3));
  });
});

describe("the limits of a workspace", () => {
  const limits = { files: 3, bytes: 10, fileBytes: 6 };

  it("refuse files, bytes and a file above them, and never a change that makes the workspace smaller", async () => {
    const files = openFiles(spaceOf({ a: "aaaa", b: "bbbb" }), [], { limits });
    const call = await files.startCall();
    await expect(call.write("c", bytes("123456789"))).rejects.toThrow(
      '"c" has 9 bytes; a file of the workspace has at most 6.',
    );
    await expect(call.write("c", bytes("123"))).rejects.toThrow(
      'With "c" (3 bytes), the workspace would have 11 bytes; at most 10 are accepted.',
    );
    await call.write("c", bytes("12"));
    await expect(call.write("d", bytes(""))).rejects.toThrow("The workspace has 3 files; at most 3 are accepted.");
    expect(await call.problemOf({ name: "a", size: 5 })).toMatch(/would have 11 bytes/);
    await call.remove("b");
    await call.write("d", bytes("123"));
    await call.write("a", bytes("aaaaa"));
    expect(await call.list()).toEqual([
      { name: "a", size: 5 },
      { name: "c", size: 2 },
      { name: "d", size: 3 },
    ]);
    const full = await openFiles(spaceOf({ a: "a".repeat(20), b: "", c: "", d: "" }), [], { limits }).startCall();
    expect(await full.problemOf({ name: "a", size: 19 })).toBeUndefined();
    expect(await full.problemOf({ name: "a", size: 21 })).toMatch(/at most 6/);
  });

  it("hold for all changes of parallel calls", async () => {
    const files = openFiles(spaceOf(), [], { limits });
    const calls = await Promise.all(Array.from({ length: 5 }, () => files.startCall()));
    const written = calls.map((call, index) => call.update(() => call.write(`${index}`, bytes("1234"))));
    const outcomes = (await Promise.allSettled(written)).map(({ status }) => status);
    expect(outcomes).toEqual(["fulfilled", "fulfilled", "rejected", "rejected", "rejected"]);
  });
});

describe("the stored files of a call", () => {
  it("have hashes, and a file can be written by its hash", async () => {
    const space = spaceOf({ "x/a": "1" });
    const files = openFiles(space);
    const call = await files.startCall();
    expect(await call.stored()).toEqual([{ name: "x/a", size: 1, sha256: sha256Of(bytes("1")) }]);
    await call.adopt({ name: "y/b", size: 1, sha256: sha256Of(bytes("1")) });
    await expect(call.adopt({ name: "y", size: 1, sha256: sha256Of(bytes("1")) })).rejects.toThrow("is a folder");
    await call.end(recorder().record);
    expect(await textsIn(space, files)).toEqual({ "x/a": "1", "y/b": "1" });
  });
});

describe("parallel calls that change files", () => {
  it("see each other's updates and are recorded in this order, with the hash of the manifest", async () => {
    const space = spaceOf({ log: "" });
    const files = openFiles(space);
    const { changes, record } = recorder();
    const calls = await Promise.all(Array.from({ length: 5 }, () => files.startCall()));
    await Promise.all(calls.map((call, index) => append(call, "log", `${index}`)));
    await Promise.all(calls.toReversed().map((call) => call.end(record)));
    expect(await textsIn(space, files)).toEqual({ log: "01234" });
    expect(changes.map(({ files: [file] = [] }) => file?.size)).toEqual([1, 2, 3, 4, 5]);
    for (const { files: changed = [], manifest } of changes) expect(manifest).toBe(manifestHash(manifestOf(changed)));
  });

  it("are not recorded after one whose changes they may have seen failed", async () => {
    const files = openFiles(spaceOf({ log: "" }));
    const { changes, record } = recorder();
    const [first, second, reader] = [await files.startCall(), await files.startCall(), await files.startCall()];
    await append(first, "log", "1");
    await append(second, "log", "2");
    const ends = second.end(record);
    first.discard(new Error("store down"));
    await expect(ends).rejects.toThrow("store down");
    await reader.end(record);
    expect(changes).toEqual([{}]);
    expect(await files.list()).toEqual([{ name: "log", size: 0 }]);
  });

  it("do not wait for calls that changed none", async () => {
    const files = openFiles(spaceOf({ log: "" }));
    const { changes, record } = recorder();
    const [first, second] = [await files.startCall(), await files.startCall()];
    await first.update(async () => {});
    await append(second, "log", "2");
    await first.end(record);
    await second.end(record);
    expect(changes).toMatchObject([{}, { files: [{ name: "log" }] }]);
  });

  it("leave the files that a fold over the recorded changes gives, in any interleaving", async () => {
    const action = fc.record({
      file: fc.constantFrom("a", "b"),
      kind: fc.constantFrom("append", "replace", "delete", "read"),
      lost: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 8 }), fc.scheduler(), async (actions, scheduler) => {
        const space = spaceOf({ a: "", b: "" });
        const files = openFiles(space);
        const { changes, recorded } = recorder();
        let writing = Promise.resolve();
        const run = async ({ file, kind, lost }: (typeof actions)[number], index: number): Promise<void> => {
          const call = await files.startCall();
          await scheduler.schedule(Promise.resolve());
          if (kind === "append") await append(call, file, `${index}`);
          if (kind === "delete") await call.update(() => call.remove(file));
          if (kind === "replace") await call.write(file, bytes(`<${index}>`));
          await scheduler.schedule(Promise.resolve());
          if (lost) return call.discard(new Error("lost"));
          await call.end(async (each) => {
            changes.push(each);
            writing = writing.then(() => scheduler.schedule(Promise.resolve()));
            await writing;
            return true;
          });
        };
        const running = Promise.allSettled(actions.map(run));
        await scheduler.waitFor(running);
        const folded = openFiles(space, [], { changes: recorded() });
        expect(await textsIn(space, files)).toEqual(await textsIn(space, folded));
        const last = changes.findLast(({ manifest }) => manifest !== undefined);
        const now = (await files.changed()) ?? space.start;
        if (last) expect(last.manifest).toBe(manifestHash(manifestOf(now)));
      }),
      { numRuns: 300 },
    );
  });
});

const texts = (space: Space): string[] => [...space.contents.values()].map(String).toSorted();

describe("old contents", () => {
  it("are removed beyond the number to keep, but not uploads, other files and contents in use", async () => {
    const space = spaceOf({ log: "upload", copy: "v1" });
    const pinned = [sha256Of(bytes("upload"))];
    const files = openFiles(space, [], { keep: 2, pinned });
    const { changes, record } = recorder();
    for (let version = 1; version <= 6; version++) await write(files, "log", `v${version}`, record);
    expect(texts(space)).toEqual(["upload", "v1", "v4", "v5", "v6"]);
    expect(await files.changed()).toMatchObject([
      { name: "copy" },
      { name: "log", sha256: sha256Of(bytes("v6")), old: [sha256Of(bytes("v5")), sha256Of(bytes("v4"))] },
    ]);
    await write(files, "log", "v4", record);
    await write(files, "log", "v7", record);
    expect(texts(space)).toEqual(["upload", "v1", "v4", "v6", "v7"]);
    const resumed = openFiles(space, [], { keep: 2, changes: changes.map(({ files: changed = [] }) => changed) });
    expect(await resumed.changed()).toEqual(await files.changed());
  });

  it("are not removed while a call writes the same content again", async () => {
    const space = spaceOf({ log: "old" });
    const files = openFiles(space, [], { keep: 0 });
    const { record } = recorder();
    const [call, other] = [await files.startCall(), await files.startCall()];
    await call.write("log", bytes("new"));
    await other.write("copy", bytes("old"));
    await call.end(record);
    await other.end(record);
    expect(await textsIn(space, files)).toEqual({ copy: "old", log: "new" });
  });

  it("are not removed while another call may read them", async () => {
    const space = spaceOf({ log: "old" });
    const files = openFiles(space, [], { keep: 0 });
    const reader = await files.startCall();
    await write(files, "log", "new");
    expect(await textOf(reader, "log")).toBe("old");
    reader.discard(new Error("stopped"));
    reader.discard(new Error("stopped"));
    expect(texts(space)).toEqual(["new"]);
  });

  it("are written again after a removal that is in progress", async () => {
    const space = spaceOf({ log: "old" });
    const removal = Promise.withResolvers<undefined>();
    const contents = {
      read: async (sha256: string) => space.contents.get(sha256),
      write: async (sha256: string, content: Uint8Array) => void space.contents.set(sha256, content),
      remove: async (unused: string[]) => {
        await removal.promise;
        for (const each of unused) space.contents.delete(each);
      },
    };
    const files = openFiles(space, [], { keep: 0, contents });
    await write(files, "log", "new");
    const again = write(files, "copy", "old");
    setImmediate(() => removal.resolve(undefined));
    await again;
    expect(await textsIn(space, files)).toEqual({ copy: "old", log: "new" });
  });
});

describe("an attachment", () => {
  it("is the content that its result recorded, or the current one without a hash", async () => {
    const space = spaceOf({ "a.png": "first" });
    const files = openFiles(space);
    await write(files, "a.png", "second");
    const sha256 = sha256Of(bytes("first"));
    expect(String(await files.readAttachment({ name: "a.png", mediaType: "image/png", sha256 }))).toBe("first");
    expect(String(await files.readAttachment({ name: "a.png", mediaType: "image/png" }))).toBe("second");
    const gone = { name: "a.png", mediaType: "image/png", sha256: "0".repeat(64) };
    expect(await files.readAttachment(gone)).toBeUndefined();
  });
});

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { localWorkspace } from "../../../../src/platform/local/workspace.ts";
import { callsIn } from "./calls.ts";
import { type Engine, openEngine, reasonToSkip } from "./engine.ts";

const engine = await openEngine();
afterAll(() => "close" in engine && engine.close());

const megabyte = 2 ** 20;
let runs = 0;

/** Calls of a new run. `left`: bytes that its agent's quota leaves. */
function calls(left = 1024 * megabyte) {
  const { folder, linuxOf } = engine as Engine;
  const runId = `room-${++runs}`;
  const used = async () => (await run.files.list()).reduce((sum, { size }) => sum + size, 0);
  const storage = async () => ({ scope: "agent", limit: 2048 * megabyte, left: left - (await used()) });
  const run = callsIn(linuxOf(runId), localWorkspace(folder), runId, { storage });
  return Object.assign(run, {
    /** Bytes on the disk, and the number of contents. */
    stored() {
      const files = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
      const contents = files.filter((file) => file.startsWith(join(folder, runId)) && statSync(file).isFile());
      return { bytes: contents.reduce((sum, file) => sum + statSync(file).blocks * 512, 0), contents: contents.length };
    },
  });
}

describe.skipIf("unavailable" in engine)(`what a program may store${reasonToSkip(engine)}`, () => {
  it("is known before a byte is stored: 40 sparse files of 199 MB leave nothing behind a quota of 100 MB", async () => {
    const run = calls(100 * megabyte);
    const text = await run.sh("for i in $(seq 40); do echo $i > f$i; truncate -s 199M f$i; done; echo small > small");
    expect(text).toContain("Wrote small (6 bytes)");
    expect(text).toContain(
      "Not saved, because the files of the agent's runs may have 2147483648 bytes together (maxStoredBytes): f1 (208666624 bytes), f10",
    );
    expect(run.stored()).toMatchObject({ contents: 1 });
  });

  it("takes as much of the disk as it took of the program's", async () => {
    const run = calls();
    expect(await run.sh("for i in 1 2 3; do echo $i > f$i; truncate -s 199M f$i; echo end >> f$i; done")).toContain(
      "Wrote f1 (208666628 bytes), f2",
    );
    expect(run.stored().contents).toBe(3);
    expect(run.stored().bytes).toBeLessThan(1 * megabyte);
    expect(await run.sh("cat f1 f2 f3 | tr -d '\\0'")).toBe("1\nend\n2\nend\n3\nend");
  });

  it("is the workspace's limit without a quota, and the rest is named", async () => {
    const run = calls(Infinity);
    const text = await run.sh("for i in $(seq 1 7); do echo $i > f$i; truncate -s 199M f$i; done");
    expect(text).toContain("Not saved, because the workspace may have 1073741824 bytes: f6 (208666624 bytes), f7");
    expect((await run.files.list()).map(({ name }) => name)).toEqual(["f1", "f2", "f3", "f4", "f5"]);
  });

  it("does not delete a file while another one could not be saved", async () => {
    const run = calls(100);
    await run.sh("head -c 50 /dev/zero | tr '\\0' x > a");
    const text = await run.sh("mv a b; cat b b b b > c");
    expect(text).toContain("Not deleted, because a file could not be saved: a.");
    expect((await run.files.list()).map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("is no file that was cut at the limit of one file", async () => {
    const run = calls();
    const text = await run.sh("cat /dev/zero > cut; truncate -s 200M whole; ls -s cut > /dev/null");
    expect(text).toContain(
      "Not saved, because a file has at most 209715200 bytes, and was cut there: cut (209716224 bytes).",
    );
    expect((await run.files.list()).map(({ name }) => name)).toEqual(["whole"]);
  });

  it("is removed when another call has taken its room meanwhile", async () => {
    const run = calls(100);
    const call = await run.files.startCall();
    const slow = run.sh("sleep 1; head -c 60 /dev/zero > late");
    await call.write("early", Buffer.alloc(60));
    await call.end(async () => true);
    expect(await slow).toContain('"late" was not saved.');
    expect(run.stored().contents).toBe(1);
  });
});

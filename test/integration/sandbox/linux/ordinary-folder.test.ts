import { afterAll, describe, expect, it } from "vitest";
import { openEngine, reasonToSkip } from "./engine.ts";

const engine = await openEngine();
afterAll(() => "close" in engine && engine.close());

const large = "x".repeat(100_000);
const workspace = { a: "same", b: "same", empty: "", "d/large": large, "d/other": large };

/** Where the contents of files above 64 KB are: copied into memory, or read from the store. */
describe.skipIf("unavailable" in engine).each([
  ["copied", 64 * 2 ** 20],
  ["in the store", 0],
])(`files of a workspace whose large ones are %s${reasonToSkip(engine)}`, (where, copiedBytes) => {
  const run = (text: string, language: "shell" | "python" = "shell") => {
    if ("unavailable" in engine) throw new Error(engine.unavailable);
    engine.bubblewrap.copiedBytes = copiedBytes;
    return engine.run({ text, language, files: workspace });
  };

  it("have an inode of their own each", async () => {
    const text =
      "find . -type f -links +1; stat -c %i a b empty d/* | sort | uniq -d; [ a -ef b ] || gzip -k a && cp a b";
    expect(await run(`${text}; tar -cf - a b d | tar -tvf - | grep -c ^-`)).toMatchObject({
      output: "4\n",
      exitCode: 0,
    });
  });

  it("are changed without a change of files with the same content", async () => {
    const { changed } = await run(
      "echo more >> a; printf X | dd of=d/large conv=notrunc status=none; touch b; cat d/other > /dev/null",
    );
    expect(changed.map(({ name }) => name).toSorted()).toEqual(["a", "b", "d/large"]);
  });

  it("are found when only a map of them was written to, after its pages were read", async () => {
    const text = `import mmap, os
for name in ("a", "d/large"):
    before = os.stat(name)
    with open(name, "r+b") as f, mmap.mmap(f.fileno(), 0) as m: m[0]; m[0:1] = b"Y"`;
    expect((await run(text, "python")).changed.map(({ name }) => name).toSorted()).toEqual(["a", "d/large"]);
  });

  it.skipIf(where === "in the store" && process.getuid?.() !== 0)("move with their folder", async () => {
    const { output, changed, deleted } = await run(
      "import os; os.rename('d', 'e'); print(os.listdir('e').sort())",
      "python",
    );
    expect(output).toBe("None\n");
    expect(changed.map(({ name }) => name).toSorted()).toEqual(["e", "e/large", "e/other"]);
    expect(deleted.toSorted()).toEqual(["d/large", "d/other"]);
  });
});

describe.skipIf("unavailable" in engine)(`programs in bubblewrap${reasonToSkip(engine)}`, () => {
  it("know their user, their group and localhost", async () => {
    if ("unavailable" in engine) return;
    const text = `id -un; id -gn; getent hosts localhost | tr -s ' '; getent passwd | wc -l; ls -A ~ | wc -l`;
    expect(await engine.run({ text })).toMatchObject({ output: "nobody\nnogroup\n::1 localhost\n1\n0\n", exitCode: 0 });
  });

  it("can write to /var/tmp, which the next call does not see", async () => {
    if ("unavailable" in engine) return;
    const text = "ls -A /var/tmp; mktemp -p /var/tmp x.XXX | cut -c 1-11";
    for (const _ of [1, 2]) expect(await engine.run({ text })).toMatchObject({ output: "/var/tmp/x.\n", exitCode: 0 });
  });

  it("import modules of the workspace, but none in place of Python's own", async () => {
    if ("unavailable" in engine) return;
    const stranger = "raise SystemExit('taken over')";
    const files = {
      "json.py": stranger,
      "sitecustomize.py": stranger,
      "usercustomize.py": stranger,
      "mine.py": "x = 1",
      "lib/beside.py": "y = 2",
      "lib/script.py": "import beside; print(beside.y)",
    };
    const text =
      "import json, mine, sys, subprocess; print(json.dumps(mine.x), sys.path[-1], flush=True); subprocess.run([sys.executable, 'lib/script.py'])";
    expect((await engine.run({ text, language: "python", files })).output).toBe("1 /work\n2\n");
  });

  it("see a write to a file in a map that was opened before", async () => {
    if ("unavailable" in engine) return;
    const text = `import mmap
with open("f", "rb") as f, mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ) as m:
    open("f", "r+").write("NEW")
    print(m[:3])`;
    expect(await engine.run({ text, language: "python", files: { f: "old" } })).toMatchObject({ output: "b'NEW'\n" });
  });
});

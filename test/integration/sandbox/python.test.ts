import { afterAll, describe, expect, it } from "vitest";
import { missingPythonModules } from "../../../src/agent/tools/program-definitions.ts";
import { sandboxLimits } from "../../../src/sandbox/program-limits.ts";
import { run, sandbox, written } from "./sandbox.ts";

afterAll(() => sandbox.close());

describe("a Python program", () => {
  it("reads, writes, changes and deletes files, also in folders", async () => {
    const files = { "a.csv": "n\n1\n2\n6\n", "in/b.txt": "b", "in/c.txt": "c", same: "same" };
    const program = `import csv, os, statistics
print(statistics.mean(float(row["n"]) for row in csv.DictReader(open("a.csv"))))
os.makedirs("out/deep")
open("out/deep/new.txt", "w").write("new")
open("in/b.txt", "a").write("!")
os.rename("in/c.txt", "in/d.txt")
open("same", "w").write("same")
os.mkdir("empty")`;
    const result = await run("python", program, { files });
    expect(result).toMatchObject({ output: "3.0\n", deleted: ["in/c.txt"], notes: [] });
    expect(result.problem).toBeUndefined();
    expect(written(result)).toEqual({ "in/b.txt": "b!", "in/d.txt": "c", "out/deep/new.txt": "new" });
  });

  it("keeps all bytes of a file, and those of a file that becomes empty or a folder", async () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, n) => (n * 7) % 256);
    const program = `import os
open("copy", "wb").write(open("bytes", "rb").read())
open("empty", "w").close()
os.remove("folder"); os.mkdir("folder"); open("folder/f", "w").write("1")`;
    const result = await run("python", program, { files: { bytes, empty: "1", folder: "1" } });
    expect(result.written.map(({ name }) => name)).toEqual(["copy", "empty", "folder/f"]);
    expect(Buffer.from(result.written[0]?.content ?? [])).toEqual(Buffer.from(bytes));
    expect(result).toMatchObject({ deleted: ["folder"], notes: [] });
    expect(result.written[1]?.content).toHaveLength(0);
  });

  it("returns both streams in the order of writing", async () => {
    const program = `import os, sys
print("1 ä日😀")
print("2", file=sys.stderr)
os.write(1, b"3\\n")
sys.stdout.write("4"); sys.stderr.write("5"); print("6", end="")`;
    expect(await run("python", program)).toMatchObject({ output: "1 ä日😀\n2\n3\n456" });
  });

  it("that fails returns its output, the lines of the error and its files", async () => {
    const program = 'print("begun")\nopen("log", "w").write("x")\n\ndef f(n):\n    return 1 / n\n\nf(0)';
    const result = await run("python", program);
    expect(result.problem).toBe("The program ended with exit code 1.");
    expect(result.output).toMatch(
      /^begun\nTraceback .*line 7, in <module>\n {4}f\(0\).*line 5, in f\n {4}return 1 \/ n/s,
    );
    expect(result.output).toMatch(/\nZeroDivisionError: division by zero\n$/);
    expect(written(result)).toEqual({ log: "x" });
  });

  it.each([
    ["import sys; sys.exit(3)", 3],
    ["import sys; sys.exit('no')", 1],
    ["raise SystemExit(7)", 7],
    ["import os; os._exit(9)", 9],
    ["x = ", 1],
  ])("reports the exit code of %s", async (program, code) => {
    expect((await run("python", program)).problem).toBe(`The program ended with exit code ${code}.`);
  });

  it.each(["import sys; sys.exit(0)", "exit()", "raise SystemExit", "", "quit(None)"])(
    "succeeds after %s",
    async (program) => {
      expect(await run("python", program)).toEqual({ output: "", written: [], notes: [] });
    },
  );

  it("has no input, the time zone UTC, an empty environment and a folder for temporary files", async () => {
    const program = `import datetime, os, sys, tempfile, time
print(repr(sys.stdin.read()), sys.stdout.isatty(), time.tzname, datetime.datetime.fromtimestamp(0))
print(sorted(name for name in os.environ if not name.startswith("PYTHON")), os.getcwd(), __name__)
with tempfile.NamedTemporaryFile("w+") as file: file.write("x"); print(file.name.startswith("/tmp/"))
print(time.time() - ${Date.now() / 1000} < 60)
input()`;
    const { output } = await run("python", program);
    expect(output.split("\n").slice(0, 4)).toEqual([
      "'' False ('UTC', 'UTC') 1970-01-01 00:00:00",
      "['HOME', 'LANG', 'TZ'] /work __main__",
      "True",
      "True",
    ]);
    expect(output).toMatch(/EOFError/);
  });

  it("can import modules of the workspace, which do not replace the standard library", async () => {
    const files = { "tools/sums.py": "def twice(n): return 2 * n", "own.py": "name = 'own'", "json.py": "1 / 0" };
    const program = "import own, json\nfrom tools.sums import twice\nprint(own.name, twice(21), json.dumps([1]))";
    const result = await run("python", program, { files });
    expect(result).toMatchObject({ output: "own 42 [1]\n", written: [] });
  });

  it("knows nothing of an earlier program", async () => {
    await run(
      "python",
      "import builtins, os, sys\nbuiltins.left = 1\nopen('/tmp/left', 'w')\nos.environ['LEFT'] = '1'",
    );
    const program =
      "import os\nprint('left' in globals()['__builtins__'].__dict__, os.listdir('/tmp'), os.getenv('LEFT'))";
    expect(await run("python", program)).toMatchObject({ output: "False [] None\n" });
  });

  it("runs beside another one, and both get their own files", async () => {
    const program =
      "import time\nopen('out', 'w').write(open('in').read() * 2)\ntime.sleep(0.2)\nprint(open('out').read())";
    const both = await Promise.all(["a", "b"].map((text) => run("python", program, { files: { in: text } })));
    expect(both.map(({ output }) => output)).toEqual(["aa\n", "bb\n"]);
    expect(both.map(written)).toEqual([{ out: "aa" }, { out: "bb" }]);
  });

  it("saves no link, and deletes nothing when a file could not be saved", async () => {
    const program = `import os
os.rename("a", "b"); os.symlink("b", "a")
os.symlink("/lib", "lib"); os.remove("c")`;
    const result = await run("python", program, { files: { a: "1", c: "1" } });
    expect(written(result)).toEqual({ b: "1" });
    expect(result.deleted).toBeUndefined();
    expect(result.notes).toEqual([
      expect.stringMatching(/^Not saved, because they are links or no files: (lib, a|a, lib)\.$/),
      "Not deleted, because other files could not be saved: a, c.",
    ]);
  });

  it("names files that are too many, too large or too deep to be saved", async () => {
    const most = sandboxLimits.writtenFiles;
    const many = await run("python", `for n in range(${most + 5}): open(f"f{n:04}", "w").write("x")`);
    expect(many.written).toHaveLength(most);
    expect(many.notes).toEqual([
      expect.stringMatching(new RegExp(`at most ${most} files .*f${`${most}`.padStart(4, "0")}`)),
    ]);
    const large = await run("python", "open('large', 'wb').write(bytes(33 * 2 ** 20))\nopen('small', 'w').write('x')");
    expect(large.notes).toEqual([expect.stringMatching(/^Not saved, because .* bytes together are saved: large\.$/)]);
    expect(written(large)).toEqual({ small: "x" });
    const deep = "import os\nfor n in range(30): os.mkdir('d' * 100); os.chdir('d' * 100)\nopen('f', 'w')";
    expect((await run("python", deep)).notes).toEqual([expect.stringMatching(/paths are too long: 1 /)]);
  });

  it("can name a file as a part of every JavaScript object", async () => {
    const files = Object.fromEntries(["__proto__", "constructor/x", "toString"].map((name) => [name, name]));
    const entries = { ...files, ["__proto__"]: "1" };
    const program = "open('__proto__', 'w').write('p')\nopen('hasOwnProperty', 'w').write('h')";
    const result = await run("python", program, { files: entries });
    expect(result.written.map(({ name }) => name)).toEqual(["__proto__", "hasOwnProperty"]);
    expect(result.deleted).toBeUndefined();
  });

  it("that exceeds a limit returns what it printed and saves nothing", async () => {
    const slow = await run("python", "open('a', 'w').write('x')\nprint('begun')\nwhile True: pass", { seconds: 8 });
    expect(slow).toEqual({
      output: "begun\n",
      problem: "The program was stopped after 8 seconds. No files were saved.",
      written: [],
      notes: [],
    });
    const loud = await run("python", "print('begun')\nwhile True: print('x' * 999)");
    expect(loud.output).toMatch(/^begun\nxxx/);
    expect(loud.problem).toMatch(/^The program was stopped: it printed more than \d+ bytes\. No files were saved\.$/);
    const large = await run("python", "try: x = bytearray(2 ** 30)\nexcept MemoryError: print('too large')");
    expect(large).toMatchObject({ output: "too large\n" });
    expect(large.problem).toBeUndefined();
  });

  it.each([
    ["import json\njson.loads('[' * 10 ** 6)", "its calls or data are nested too deeply"],
    ["import os\nos.abort()", "Python aborted"],
  ])("is told why it was stopped: %s", async (program, reason) => {
    const problem = `The program was stopped: ${reason}. No files were saved.`;
    expect(await run("python", program)).toMatchObject({ problem, written: [] });
  });

  it("is stopped when the call is aborted", async () => {
    const abort = new AbortController();
    const reason = new Error("stopped by a person");
    setTimeout(() => abort.abort(reason), 300);
    await expect(run("python", "while True: pass", { signal: abort.signal })).rejects.toBe(reason);
    expect(await run("python", "print(1)")).toMatchObject({ output: "1\n" });
  });
});

describe("the description of the tool", () => {
  it("names the modules that Python lacks, and no others", async () => {
    const program = `import importlib, sys
unusual = {"antigravity", "this", "ensurepip", "venv", "idlelib", "pydoc", "turtle", "turtledemo", "grp", "pwd", "syslog",
  "msvcrt", "nt", "winreg", "winsound"}
for name in sorted(sys.stdlib_module_names - unusual):
    if name.startswith("_"): continue
    try: importlib.import_module(name)
    except ImportError: print(name)`;
    const { output, problem } = await run("python", program);
    expect(problem).toBeUndefined();
    const importable = new Set(["asyncio.run", "multiprocessing", "socket", "subprocess", "threading.Thread"]);
    expect(output.trim().split("\n").toSorted()).toEqual(missingPythonModules.filter((name) => !importable.has(name)));
    expect(output).not.toMatch(/^(csv|json|zipfile|decimal|hashlib|xml|bz2|zlib|unicodedata)$/m);
  });

  it.each([
    "import asyncio\nasyncio.run(asyncio.sleep(0))",
    "import multiprocessing\nmultiprocessing.Process(target=print).start()",
    "import socket\nsocket.socket()",
    "import subprocess\nsubprocess.run(['ls'])",
    "import threading\nthreading.Thread(target=print).start()",
  ])("names what cannot be used although it can be imported: %s", async (program) => {
    expect(await run("python", program)).toMatchObject({ problem: "The program ended with exit code 1." });
  });
});

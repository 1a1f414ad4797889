import { afterAll, describe, expect, it } from "vitest";
import { run, sandbox } from "./sandbox.ts";

afterAll(() => sandbox.close());

const javascriptAttacks = {
  "endless loop": "for (;;);",
  "endless microtasks": "(function f() { Promise.resolve().then(f); })()",
  "endless loop in toJSON": "({ toJSON() { for (;;); } })",
  "catastrophic pattern": "/^(a+)+$/.test('a'.repeat(50) + 'b')",
  "memory bomb of arrays": "const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))",
  "memory bomb of texts": "let s = 'x'; for (;;) s = [s, s].join('')",
  "memory bomb in a catch": "const a = []; for (;;) try { a.push(new Array(1e5).fill({})) } catch {}",
  "huge sort": "new Array(5e7).fill(0).sort(() => Math.random() - 0.5)",
  "deep recursion": "const f = () => f() + 1; f()",
  "deep JSON": "JSON.parse('['.repeat(1e6))",
  "output flood": "for (;;) console.log('x'.repeat(1000))",
  "output flood in a catch": "for (;;) try { console.log('x'.repeat(1000)) } catch {}",
  "flood of files": "for (let n = 0; ; n++) writeFile('f' + n, new Uint8Array(1e6))",
};

const pythonAttacks = {
  "endless loop": "while True: pass",
  "endless loop that catches everything": "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
  "endless loop in finally": "try: 1 / 0\nfinally:\n  while True: pass",
  "endless loop at the end": "import atexit\n@atexit.register\ndef f():\n  while True: pass",
  "endless generator": "def f():\n  while True: yield 1\nsum(f())",
  "endless iterator in C": "import itertools\nsum(itertools.repeat(1))",
  "long sleep": "import time\ntime.sleep(10_000)",
  "ignored signals": "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
  "huge power": "10 ** 10 ** 9",
  "huge factorial": "import math\nmath.factorial(10 ** 7)",
  "huge decimal": "import decimal\ndecimal.getcontext().prec = 10 ** 8\nprint(len(str(decimal.Decimal(2) ** 10 ** 9)))",
  "huge number as text": "import sys\nsys.set_int_max_str_digits(0)\nstr(1 << 10 ** 8)",
  "huge sort": "sorted(range(10 ** 8, 0, -1), key=lambda n: n % 7919)",
  "colliding hashes": "class K:\n  def __hash__(self): return 1\nd = {}\nfor n in range(10 ** 6): d[K()] = n",
  "catastrophic pattern": "import re\nre.match(r'^(a+)+$', 'a' * 50 + 'b')",
  "huge pattern": "import re\nre.compile('(' * 50_000 + ')' * 50_000)",
  "memory bomb of bytes": "a = []\nwhile True: a.append(bytearray(10 ** 7))",
  "memory bomb of texts": "s = 'x'\nwhile True: s += s",
  "memory bomb of lists": "a = []\nwhile True: a = [a, a * 1]; a.extend([[]] * 10 ** 6)\nprint(a)",
  "memory bomb in a catch": "a = []\nwhile True:\n  try: a.append(' ' * 10 ** 7)\n  except MemoryError: pass",
  "billion laughs": `import xml.etree.ElementTree as t
e = ''.join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
t.fromstring(f'<!DOCTYPE r [<!ENTITY a0 "lol">{e}]><r>&a9;</r>')`,
  recursion: "def f(): f()\nf()",
  "recursion without a limit": "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(): f()\nf()",
  "recursion in C":
    "import sys\nsys.setrecursionlimit(10 ** 9)\nclass A: pass\nA.__getattr__ = lambda s, n: getattr(s, n)\nA().x",
  "deep JSON": "import json\njson.loads('[' * 10 ** 6)",
  "deep expression": "eval('(' * 10 ** 5 + ')' * 10 ** 5)",
  "deep literal": "import ast\nast.literal_eval('-' * 10 ** 6 + '1')",
  "deep pickle": "import pickle\na = []\nfor n in range(10 ** 6): a = [a]\npickle.dumps(a)",
  "output flood": "while True: print('x' * 1000)",
  "output flood that catches everything": "while True:\n  try: print('x' * 1000)\n  except BaseException: pass",
  "output flood to stderr": "import sys\nwhile True: sys.stderr.write('x' * 1000)",
  "output flood by descriptor": "import os\nwhile True: os.write(2, b'x' * 1000)",
  "one huge output": "print('x' * 10 ** 8)",
  "flood of files": "n = 0\nwhile True:\n  open(f'f{n}', 'wb').write(b'x' * 10 ** 7)\n  n += 1",
  "flood of empty files": "n = 0\nwhile True:\n  open(f'f{n}', 'w').close()\n  n += 1",
  "flood of folders": "import os\nn = 0\nwhile True:\n  os.mkdir(f'd{n}')\n  n += 1",
  "flood of open files": "a = []\nwhile True: a.append(open('/tmp/f', 'w'))",
  "growing file": "f = open('f', 'wb')\nwhile True: f.write(b'x' * 10 ** 6)",
  "huge sparse file": "f = open('f', 'wb')\nf.truncate(10 ** 12)",
  "write far beyond the end": "f = open('f', 'wb')\nf.seek(10 ** 12)\nf.write(b'x')\nf.flush()",
  "ZIP bomb": `import io, zipfile
data = io.BytesIO()
with zipfile.ZipFile(data, 'w', zipfile.ZIP_DEFLATED) as z:
  with z.open('a', 'w', force_zip64=True) as f:
    for n in range(20_000): f.write(bytes(10 ** 5))
zipfile.ZipFile(data).extractall()`,
  "gzip bomb": "import zlib\nzlib.decompress(zlib.compress(bytes(2 * 10 ** 8)) * 1, bufsize=10 ** 9) * 10",
  fork: "import os\nos.fork()",
  "fork bomb": "import os\nwhile True: os.fork()",
  threads: "import threading\nwhile True: threading.Thread(target=print).start()",
  processes: "import multiprocessing\nmultiprocessing.Process(target=print).start()",
  subprocess: "import subprocess\nsubprocess.run(['node', '-e', '1'], check=True)",
  "end by a signal": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\nos.abort()",
  "end at once": "import os\nos._exit(9)",
  abort: "import os\nos.abort()",
  "a pipe that nobody reads": "import os\nr, w = os.pipe()\nwhile True: os.write(w, b'x' * 10 ** 6)",
};

const attacks = [
  ...Object.entries(javascriptAttacks).map(([name, program]) => ["javascript", name, program] as const),
  ...Object.entries(pythonAttacks).map(([name, program]) => ["python", name, program] as const),
];

/** The time limit of each program. One that cannot be ended in order is killed half a second later. */
const seconds = 1;

describe.concurrent.each(attacks)("%s: %s", (engine, _, program) => {
  it(`is stopped at a limit of ${seconds} s, and the next call works`, async () => {
    const result = await run(engine, program, { seconds });
    expect(result.problem).toBeTruthy();
    expect(result.output.length).toBeLessThan(101_000);
    const next = await run(engine, engine === "python" ? "print(2 + 2)" : "2 + 2", {
      seconds: 120, // on a busy machine, where other work has a higher priority
    });
    expect(next.output.trim()).toBe("4");
  });
});

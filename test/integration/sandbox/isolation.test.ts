import { type AddressInfo, createServer } from "node:net";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { run, sandbox } from "./sandbox.ts";

const secret = "the-host-s-secret";
const hostFile = join(tmpdir(), "sandbox-host-file.txt");
writeFileSync(hostFile, secret);
process.env["SANDBOX_TEST_SECRET"] = secret;

afterAll(() => sandbox.close());

describe("a program cannot reach the host:", () => {
  it.each([
    [
      "javascript",
      "globals of Node",
      "typeof process + typeof require + typeof fetch + typeof WebAssembly + typeof module",
    ],
    ["javascript", "own globals", "Object.getOwnPropertyNames(globalThis).join()"],
    [
      "javascript",
      "a constructor's code",
      "console.log.constructor('return typeof process + typeof require + this.constructor.name')()",
    ],
    [
      "javascript",
      "an error's constructor",
      `try { readFile('${hostFile}') } catch (error) { error.constructor.constructor('return typeof process')() }`,
    ],
    ["javascript", "an import", `import('file://${hostFile}').catch(String)`],
    ["python", "environment", "import os\nprint(dict(os.environ), os.getenv('SANDBOX_TEST_SECRET'))"],
    [
      "python",
      "files",
      `import os
for path in ('${hostFile}', '../../../..${hostFile}', '/host${hostFile}', '/proc/self/root${hostFile}', 'file://${hostFile}'):
  try: print(open(path).read())
  except Exception as error: print(type(error))
print(os.listdir('/'), os.listdir('/tmp'))`,
    ],
    [
      "python",
      "links to files",
      `import os, shutil
os.symlink('${hostFile}', 'l'); os.symlink('/', 'root')
for path in ('l', 'root${hostFile}'):
  try: shutil.copy(path, 'copy')
  except Exception as error: print(type(error))`,
    ],
    [
      "python",
      "/proc and /dev",
      `import glob
for path in ['/proc/self/environ', '/proc/1/environ', '/proc/self/maps', '/dev/mem', *glob.glob('/proc/*/*'), *glob.glob('/dev/*')]:
  if path.startswith('/dev/') and path[5:] in ('random', 'urandom', 'tty', 'tty1'): continue
  try: print(path, open(path, 'rb').read(1000))
  except Exception as error: print(type(error))`,
    ],
    [
      "python",
      "descriptors",
      "import os\nfor fd in range(100):\n  try: print(fd, os.read(fd, 100))\n  except OSError: pass",
    ],
    ["python", "os.system", "import os\nprint(os.system('cat /etc/passwd'), os.popen('cat /etc/passwd').read())"],
    ["python", "os.exec", "import os\nos.execv('/bin/cat', ['cat', '/etc/passwd'])"],
    ["python", "subprocess", "import subprocess\nprint(subprocess.run(['env'], capture_output=True).stdout)"],
    ["python", "JavaScript", "import js\nprint(js.process.env.SANDBOX_TEST_SECRET)"],
    ["python", "Pyodide", "import _pyodide_core, pyodide\npyodide.code.run_js('process.env')"],
    ["python", "_emscripten_info", "import _testinternalcapi, sys\nprint(sys._emscripten_info)"],
    ["python", "ctypes", "import ctypes\nprint(ctypes.CDLL(None).getenv)"],
    [
      "python",
      "extension modules",
      "import _imp, types\nopen('x.so', 'wb').write(b'\\0asm\\1\\0\\0\\0')\nimport importlib.machinery as m\nprint(m.ExtensionFileLoader('x', '/work/x.so').load_module())",
    ],
    [
      "python",
      "mounts",
      "import os\nos.mknod('/work/d', 0o60600, os.makedev(8, 0))\nprint(open('/work/d', 'rb').read(10))",
    ],
    [
      "python",
      "the interpreter's own frames",
      "import gc, sys\nprint([o for o in gc.get_objects() if isinstance(o, str) and 'SECRET' in o and 'print' not in o])",
    ],
  ] as const)("%s: %s", async (engine, _, program) => {
    const { output, problem = "", written } = await run(engine, program);
    const all = output + problem + written.map(({ content }) => Buffer.from(content).toString()).join();
    expect(all).not.toContain(secret);
    expect(all).not.toMatch(/typeof.*object|NODE_|root:x:|daemon:|SANDBOX_TEST_SECRET=/);
    if (program.startsWith("typeof")) expect(output).toBe("undefined".repeat(5));
  });

  it.each([
    ["socket", (port: number) => `import socket\nsocket.create_connection(('127.0.0.1', ${port}), 2).send(b'x')`],
    [
      "raw socket calls",
      (port: number) => `import _socket
s = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
s.setblocking(False)
s.connect(('127.0.0.1', ${port}))`,
    ],
    [
      "datagram",
      (port: number) =>
        `import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', ${port}))`,
    ],
    ["Unix socket", () => "import socket\nsocket.socket(socket.AF_UNIX).connect('/tmp/s')"],
    ["listening", () => "import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()"],
    ["socket pair", () => "import socket\nsocket.socketpair()"],
    ["name", () => "import socket\nprint(socket.getaddrinfo('localhost', 80))"],
    [
      "urllib",
      (port: number) => `import urllib.request\nurllib.request.urlopen('http://127.0.0.1:${port}/', timeout=2)`,
    ],
    [
      "http.client",
      (port: number) => `import http.client\nhttp.client.HTTPConnection('127.0.0.1', ${port}).request('GET', '/')`,
    ],
    ["xmlrpc", (port: number) => `import xmlrpc.client\nxmlrpc.client.ServerProxy('http://127.0.0.1:${port}').a()`],
    ["ftplib", (port: number) => `import ftplib\nftplib.FTP().connect('127.0.0.1', ${port}, 2)`],
    ["asyncio", (port: number) => `import asyncio\nasyncio.run(asyncio.open_connection('127.0.0.1', ${port}))`],
  ] as const)("Python: a connection by %s", async (_, program) => {
    const connections: unknown[] = [];
    const server = createServer((socket) => connections.push(socket.end()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const result = await run("python", program((server.address() as AddressInfo).port), { seconds: 3 });
    expect(result.problem).toBeTruthy();
    expect(connections).toEqual([]);
    server.close();
  });

  it("javascript: what an earlier call changed", async () => {
    await run(
      "javascript",
      "Object.prototype.x = 1; Array.prototype.map = null; globalThis.y = 2; JSON.stringify = () => 'z'",
    );
    expect((await run("javascript", "[({}).x, typeof y, [1].map(String)]")).output).toBe('[null,"undefined",["1"]]');
    await run("javascript", "Promise.prototype.then = () => { for (;;); }; Object.prototype.then = 1");
    expect((await run("javascript", "await Promise.resolve(5)")).output).toBe("5");
  });
});

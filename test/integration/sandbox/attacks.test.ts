import { type AddressInfo, createServer } from "node:net";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { run, sandbox } from "./sandbox.ts";

/** Seconds that a program has here; what can't be ended in order is ended half a second later. */
const seconds = 3;
const most = (seconds + 3) * 1_000;

const secret = "the-host-s-secret";
const hostFile = join(tmpdir(), "sandbox-host-file.txt");
writeFileSync(hostFile, secret);
process.env["SANDBOX_TEST_SECRET"] = secret;

afterAll(() => sandbox.close());

const python = (code: string): string => `python3 - <<'EOF'\n${code}\nEOF`;

describe.each([
  ["javascript", "endless loop", "for (;;);"],
  ["javascript", "endless microtasks", "(function f() { Promise.resolve().then(f); })()"],
  ["javascript", "endless loop while its value is shown", "({ toJSON() { for (;;); } })"],
  ["javascript", "catastrophic pattern", "/^(a+)+$/.test('a'.repeat(50) + 'b')"],
  ["javascript", "memory bomb of arrays", "const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))"],
  ["javascript", "memory bomb of texts", "let s = 'x'; for (;;) s = [s, s].join('')"],
  ["javascript", "memory bomb in a catch", "const a = []; for (;;) try { a.push(new Array(1e5).fill({})) } catch {}"],
  ["javascript", "huge sort", "new Array(5e7).fill(0).sort(() => Math.random() - 0.5)"],
  ["javascript", "deep recursion", "const f = () => f() + 1; f()"],
  ["javascript", "deep JSON", "JSON.parse('['.repeat(1e6))"],
  ["javascript", "output flood", "for (;;) console.log('x'.repeat(1000))"],
  ["javascript", "output flood in a catch", "for (;;) try { console.log('x'.repeat(1000)) } catch {}"],
  ["javascript", "flood of files", "for (let n = 0; ; n++) writeFile('f' + n, new Uint8Array(1e6))"],
  ["shell", "endless loop", "while true; do :; done"],
  ["shell", "fork bomb", ":(){ :|:& };:"],
  ["shell", "recursion", "f() { f; }; f"],
  ["shell", "memory bomb", "x=a; while true; do x=$x$x; done"],
  ["shell", "output flood", "while true; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done"],
  ["shell", "catastrophic pattern", `echo ${"a".repeat(50)}b | grep -E '^(a+)+$'`],
  ["shell", "flood of files", "n=0; while true; do n=$((n+1)); head -c 1000000 /dev/zero > f$n || exit 1; done"],
  ["shell", "Python: endless loop", python("while True: pass")],
  ["shell", "Python: catastrophic pattern", python("import re\nre.match(r'^(a+)+$', 'a' * 50 + 'b')")],
  ["shell", "Python: memory bomb", python("a = []\nwhile True: a.append(bytearray(10**7))")],
  ["shell", "Python: recursion", python("def f(): f()\nf()")],
  ["shell", "Python: fork", python("import os\nos.fork()")],
  ["shell", "Python: output flood", python("while True: print('x' * 1000)")],
] as const)("%s: %s", (engine, _, program) => {
  it("ends inside its limits with an error, and the next call works", { timeout: 30_000 }, async () => {
    const begun = performance.now();
    const result = await run(engine, program, { seconds });
    expect(performance.now() - begun).toBeLessThan(most);
    expect(result.problem).toBeTruthy();
    expect(result.output.length).toBeLessThan(101_000);
    const next = await run(engine, engine === "shell" ? "echo 4" : "2 + 2");
    expect(next).toMatchObject({ output: "4" });
  });
});

describe("nothing of the host is reached", () => {
  it.each([
    ["javascript", "typeof process + typeof require + typeof fetch + typeof WebAssembly + typeof module"],
    ["javascript", "Object.getOwnPropertyNames(globalThis).join()"],
    ["javascript", "console.log.constructor('return typeof process + typeof require + this.constructor.name')()"],
    [
      "javascript",
      `try { readFile('${hostFile}') } catch (error) { error.constructor.constructor('return typeof process')() }`,
    ],
    ["javascript", `import('file://${hostFile}').catch(String)`],
    ["shell", "env; printenv SANDBOX_TEST_SECRET; echo $SANDBOX_TEST_SECRET"],
    ["shell", `cat ${hostFile}; cat ../..${hostFile}; ln -s ${hostFile} l; cat l; ls / /tmp`],
    ["shell", "cat /proc/self/environ /proc/1/environ /proc/self/maps"],
    ["shell", python("import os\nprint(dict(os.environ))")],
    [
      "shell",
      python(`for path in ('${hostFile}', '/host${hostFile}', '/proc/self/environ'):
  try: print(open(path).read())
  except Exception as error: print(error)`),
    ],
    ["shell", python("import os\nprint(os.popen('cat /etc/hostname').read())")],
    ["shell", python("import subprocess\nprint(subprocess.run(['env'], capture_output=True).stdout)")],
    ["shell", python("import js\nprint(js.process.env.SANDBOX_TEST_SECRET)")],
    ["shell", "node -e 'console.log(process.env)'; js-exec -c 'console.log(process.env)'"],
  ] as const)("%s: %s", { timeout: 30_000 }, async (engine, program) => {
    const { output, problem = "", written } = await run(engine, program);
    const all = output + problem + written.map(({ content }) => Buffer.from(content).toString()).join();
    expect(all).not.toContain(secret);
    expect(all).not.toMatch(/typeof.*object|NODE_|root:x:|SANDBOX_TEST_SECRET=/);
    if (program.startsWith("typeof")) expect(output).toBe("undefined".repeat(5));
  });

  it.each([
    ["shell", (port: number) => `curl -s http://127.0.0.1:${port}/; wget -q http://127.0.0.1:${port}/`],
    ["shell", (port: number) => `cat < /dev/tcp/127.0.0.1/${port}`],
    [
      "shell",
      (port: number) => python(`import socket\nsocket.create_connection(('127.0.0.1', ${port}), 2).send(b'x')`),
    ],
    [
      "shell",
      (port: number) => python(`import urllib.request\nurllib.request.urlopen('http://127.0.0.1:${port}/', timeout=2)`),
    ],
  ] as const)("%s: no socket (%#)", { timeout: 30_000 }, async (engine, program) => {
    const connections: unknown[] = [];
    const server = createServer((socket) => connections.push(socket.end()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const result = await run(engine, program((server.address() as AddressInfo).port), { seconds });
    expect(result.problem).toBeTruthy();
    expect(connections).toEqual([]);
    server.close();
  });

  it("no call sees what another one did to the language", async () => {
    await run(
      "javascript",
      "Object.prototype.x = 1; Array.prototype.map = null; globalThis.y = 2; JSON.stringify = () => 'z'",
    );
    expect((await run("javascript", "[({}).x, typeof y, [1].map(String)]")).output).toBe('[null,"undefined",["1"]]');
    await run("javascript", "Promise.prototype.then = () => { for (;;); }; Object.prototype.then = 1");
    expect((await run("javascript", "await Promise.resolve(5)")).output).toBe("5");
    await run("shell", "export X=1; f() { echo f; }; echo 1 > /tmp/left");
    expect((await run("shell", "echo [$X]; f; cat /tmp/left; exit 0")).output).not.toMatch(/\[1\]|^f$|^1$/m);
  });
});

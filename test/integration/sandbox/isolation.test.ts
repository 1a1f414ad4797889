import { type AddressInfo, createServer } from "node:net";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { python } from "./attacks.scenario.ts";
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
    ["python", "environment variables", "env; printenv SANDBOX_TEST_SECRET; echo $SANDBOX_TEST_SECRET"],
    ["python", "files", `cat ${hostFile}; cat ../..${hostFile}; ln -s ${hostFile} l; cat l; ls / /tmp`],
    ["python", "/proc", "cat /proc/self/environ /proc/1/environ /proc/self/maps"],
    ["python", "Python: environment", python("import os\nprint(dict(os.environ))")],
    [
      "python",
      "Python: files",
      python(`for path in ('${hostFile}', '/host${hostFile}', '/proc/self/environ'):
  try: print(open(path).read())
  except Exception as error: print(error)`),
    ],
    ["python", "Python: popen", python("import os\nprint(os.popen('cat /etc/hostname').read())")],
    [
      "python",
      "Python: subprocess",
      python("import subprocess\nprint(subprocess.run(['env'], capture_output=True).stdout)"),
    ],
    ["python", "Python: JavaScript", python("import js\nprint(js.process.env.SANDBOX_TEST_SECRET)")],
    ["python", "node and js-exec", "node -e 'console.log(process.env)'; js-exec -c 'console.log(process.env)'"],
  ] as const)("%s: %s", async (engine, _, program) => {
    const { output, problem = "", written } = await run(engine, program);
    const all = output + problem + written.map(({ content }) => Buffer.from(content).toString()).join();
    expect(all).not.toContain(secret);
    expect(all).not.toMatch(/typeof.*object|NODE_|root:x:|SANDBOX_TEST_SECRET=/);
    if (program.startsWith("typeof")) expect(output).toBe("undefined".repeat(5));
  });

  it.each([
    ["curl and wget", (port: number) => `curl -s http://127.0.0.1:${port}/; wget -q http://127.0.0.1:${port}/`],
    ["/dev/tcp", (port: number) => `cat < /dev/tcp/127.0.0.1/${port}`],
    [
      "Python: socket",
      (port: number) => python(`import socket\nsocket.create_connection(('127.0.0.1', ${port}), 2).send(b'x')`),
    ],
    [
      "Python: urllib",
      (port: number) => python(`import urllib.request\nurllib.request.urlopen('http://127.0.0.1:${port}/', timeout=2)`),
    ],
  ] as const)("shell: a socket by %s", async (_, program) => {
    const connections: unknown[] = [];
    const server = createServer((socket) => connections.push(socket.end()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const result = await run("python", program((server.address() as AddressInfo).port), { seconds: 3 });
    expect(result.problem).toBeTruthy();
    expect(connections).toEqual([]);
    server.close();
  });

  it("javascript and shell: what an earlier call changed", async () => {
    await run(
      "javascript",
      "Object.prototype.x = 1; Array.prototype.map = null; globalThis.y = 2; JSON.stringify = () => 'z'",
    );
    expect((await run("javascript", "[({}).x, typeof y, [1].map(String)]")).output).toBe('[null,"undefined",["1"]]');
    await run("javascript", "Promise.prototype.then = () => { for (;;); }; Object.prototype.then = 1");
    expect((await run("javascript", "await Promise.resolve(5)")).output).toBe("5");
    await run("python", "export X=1; f() { echo f; }; echo 1 > /tmp/left");
    expect((await run("python", "echo [$X]; f; cat /tmp/left; exit 0")).output).not.toMatch(/\[1\]|^f$|^1$/m);
  });
});

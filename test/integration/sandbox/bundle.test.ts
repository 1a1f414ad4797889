import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { packed, unpackedResult } from "../../../src/sandbox/codec.ts";
import type { SandboxRequest } from "../../../src/sandbox/types.ts";
import { bundleSandbox } from "../../../lib/sandbox-bundle.ts";
import { docx, pdf } from "../../fixtures/documents.ts";

const folder = mkdtempSync(join(tmpdir(), "sandbox-bundle-"));
afterAll(() => rmSync(folder, { recursive: true }));

const requests: (Partial<SandboxRequest> & { expected: string })[] = [
  { engine: "javascript", program: "6 * 7", expected: "42" },
  {
    engine: "shell",
    program: "echo '{\"a\":1}' | jq .a; sqlite3 :memory: 'select 1+1'; python3 -c 'print(3)'",
    expected: "1\n2\n3",
  },
  { engine: "pdf", files: [{ name: "a", content: pdf("Hello") }], expected: "[Page 1 of 1]\nHello" },
  { engine: "docx", files: [{ name: "a", content: docx("Hello") }], expected: "Hello" },
  { engine: "html", files: [{ name: "a", content: Buffer.from("<h1>Hello</h1>") }], expected: "# Hello" },
];

it("the function's code has all that its engines need, away from the project", { timeout: 120_000 }, async () => {
  bundleSandbox(folder);
  const messages = requests.map(({ expected: _expected, ...request }) =>
    packed({ engine: "javascript", program: "", files: [], seconds: 30, ...request }),
  );
  const script = `
    const { handler } = require(${JSON.stringify(join(folder, "index.js"))});
    (async () => {
      const results = [];
      for (const request of ${JSON.stringify(messages)}) results.push((await handler({ request })).result);
      console.log(JSON.stringify(results));
      process.exit();
    })();`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], { env: {}, cwd: folder });
  const results = (JSON.parse(stdout) as string[]).map(unpackedResult);
  expect(results).toEqual(requests.map(({ expected }) => ({ output: expected, written: [], notes: [] })));
});

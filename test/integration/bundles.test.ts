import { execFile } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { optionalEnvNames } from "../../src/env.ts";
import { encodeMessage, decodeResult } from "../../src/sandbox/codec.ts";
import type { SandboxRequest } from "../../src/sandbox/sandbox-types.ts";
import { docx, officeFile, pdf } from "../fixtures/documents.ts";
import { synthesize } from "../infra/synth.ts";

// The only tests that bundle: each function once, for the whole file.

const run = promisify(execFile);

/** The variables that Lambda sets. */
const lambdaEnv = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY: "secret" };

interface Bundle {
  name: string;
  file: string;
  env: Record<string, string>;
}
let bundles: Bundle[] = [];
const fileOf = (name: string): string => bundles.find((bundle) => bundle.name === name)?.file ?? "";

beforeAll(() => {
  // With this setting, the sandbox's function is a bundle, too. With the default, it is an image: lambda-linux.test.ts.
  const { app, all } = synthesize({ bundled: true, context: { sandbox: "javascript" } });
  const { directory } = app.synth();
  bundles = all("AWS::Lambda::Function").map(([name, properties]) => {
    const { S3Key } = properties["Code"] as { S3Key: string };
    const { Variables = {} } = (properties["Environment"] ?? {}) as { Variables?: Record<string, unknown> };
    const env = Object.fromEntries(Object.keys(Variables).map((each) => [each, `a-${each.toLowerCase()}`]));
    return { name, file: join(directory, `asset.${S3Key.replace(".zip", "")}`, "index.js"), env };
  });
});

/**
 * Loads a bundle as Lambda does, in a process with only this environment. Resolves with the type of its handler, or with
 * the message of the error: an uncaught error would print its line of the bundle, which may be 1 MB long.
 */
async function load(file: string, env: Record<string, string>): Promise<string> {
  const script = `try { typeof require(${JSON.stringify(file)}).handler } catch (error) { error.message }`;
  const { stdout } = await run(process.execPath, ["-p", script], { env });
  return stdout.trim();
}

describe("the bundles of the functions", () => {
  test("load with the environment of the stack, and name a variable that is missing", async () => {
    expect(bundles.length).toBeGreaterThan(14);
    await Promise.all(
      bundles.map(async ({ file, env }) => {
        expect(await load(file, { ...lambdaEnv, ...env })).toBe("function");
        const optional: readonly string[] = optionalEnvNames;
        for (const missing of Object.keys(env).filter((each) => !optional.includes(each))) {
          const { [missing]: _, ...others } = env;
          expect(await load(file, { ...lambdaEnv, ...others })).toContain(`variable ${missing} is missing`);
        }
      }),
    );
  });

  test("advance finds the packages that are bundled beside it", async () => {
    const packages = [
      "@modelcontextprotocol/client",
      "@modelcontextprotocol/client/validators/ajv",
      "re2js",
      "@opentelemetry/api",
      "@opentelemetry/exporter-trace-otlp-http",
      "@opentelemetry/exporter-trace-otlp-proto",
      "@opentelemetry/resources",
      "@opentelemetry/sdk-trace",
    ];
    const cwd = dirname(fileOf("Advance"));
    const imports = `for (const name of ${JSON.stringify(packages)}) Object.keys(await import(name)).length || process.exit(1);`;
    await run(process.execPath, ["--input-type=module", "-e", imports], { cwd, env: {} });
  });

  test("the extension API finds the checker of schemas beside it", async () => {
    const names = ["ajv/dist/2020.js", "re2js"];
    const script = `for (const name of ${JSON.stringify(names)}) require(name).Ajv2020 ?? require(name).RE2JS ?? process.exit(1);`;
    await run(process.execPath, ["-e", script], { cwd: dirname(fileOf("ExtWrite")), env: {} });
  });
});

describe("the bundle of the sandbox function", () => {
  const requests: (Partial<SandboxRequest> & { expected: string })[] = [
    { engine: "javascript", program: "6 * 7", expected: "42" },
    {
      engine: "python",
      program: "import csv, json, zlib\nprint(json.loads('[1]')[0] + 1)",
      expected: "2\n",
    },
    { engine: "pdf", files: [{ name: "a", content: pdf("Hello") }], expected: "[Page 1 of 1]\nHello" },
    { engine: "zip", files: [{ name: "a", content: docx("Hello") }], expected: "Hello" },
    {
      engine: "zip",
      files: [{ name: "a", content: officeFile("odfpy.ods") }],
      part: "Data!A2",
      expected: "[Sheet 1 of 1: Data]\n|  | A |\n| --- | --- |\n| 2 | 2.5 |",
    },
    {
      engine: "zip",
      files: [{ name: "a", content: officeFile("python-pptx.pptx") }],
      part: "3",
      expected: "[Slide 3 of 3]",
    },
    { engine: "rtf", files: [{ name: "a", content: Buffer.from(String.raw`{\rtf1 Hello}`) }], expected: "Hello" },
    { engine: "eml", files: [{ name: "a", content: Buffer.from("To: a\r\n\r\nHello") }], expected: "To: a\n\nHello" },
    { engine: "html", files: [{ name: "a", content: Buffer.from("<h1>Hello</h1>") }], expected: "# Hello" },
    {
      engine: "result",
      program: '{"type": "object", "properties": {"day": {"format": "date"}, "code": {"pattern": "^[A-Z]$"}}}',
      files: [{ name: "a", content: Buffer.from('{"day": "2026-02-31", "code": "a"}') }],
      expected: JSON.stringify([
        { place: "/day", expected: 'to match format "date"', received: '"2026-02-31"' },
        { place: "/code", expected: 'to match pattern "^[A-Z]$"', received: '"a"' },
      ]),
    },
  ];

  test("has at most 16 MB, most of it Python and the readers of documents", () => {
    const folder = dirname(fileOf("SandboxFunction"));
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const sizes = entries.map((entry) => (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(16 * 1024 * 1024);
  });

  test("contains the packages of every engine", async () => {
    const messages = requests.map(({ expected: _expected, ...request }) =>
      encodeMessage({ engine: "javascript", program: "", files: [], seconds: 30, ...request }),
    );
    const file = fileOf("SandboxFunction");
    const script = `
      const { handler } = require(${JSON.stringify(file)});
      (async () => {
        const results = [];
        for (const request of ${JSON.stringify(messages)}) results.push((await handler({ request })).result);
        console.log(JSON.stringify(results));
        process.exit();
      })();`;
    const { stdout } = await run(process.execPath, ["-e", script], { env: {}, cwd: dirname(file) });
    const results = (JSON.parse(stdout) as string[]).map(decodeResult);
    expect(results).toEqual(requests.map(({ expected }) => ({ output: expected, written: [], notes: [] })));
  });
});

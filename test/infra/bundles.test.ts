import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { optionalEnvNames } from "../../src/env.ts";
import { synthesise } from "./synth.ts";

const run = promisify(execFile);

/** What Lambda itself sets. */
const lambdaEnv = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY: "secret" };

/** KB: what each had in November 2026 and a tenth. A cold start reads all of it. */
const budget = {
  Advance: 2_130,
  Fail: 460,
  Reconcile: 460,
  Sweep: 530,
  SandboxFunction: 20,
  Create: 750,
  Get: 690,
  Openapi: 40,
  NotFound: 30,
};

interface Bundle {
  name: string;
  file: string;
  env: Record<string, string>;
}
let bundles: Bundle[] = [];

beforeAll(() => {
  const { app, all } = synthesise({ bundled: true });
  const { directory } = app.synth();
  bundles = all("AWS::Lambda::Function").map(([name, properties]) => {
    const { S3Key } = properties["Code"] as { S3Key: string };
    const { Variables = {} } = (properties["Environment"] ?? {}) as { Variables?: Record<string, unknown> };
    const env = Object.fromEntries(Object.keys(Variables).map((each) => [each, `a-${each.toLowerCase()}`]));
    return { name, file: join(directory, `asset.${S3Key.replace(".zip", "")}`, "index.js"), env };
  });
});

/**
 * Starts a bundle as Lambda does, in a process with this environment only. Resolves with the handler's type, or with
 * why there is none; an error that nobody catches would come with its line of the bundle, which may be a megabyte.
 */
async function start(file: string, env: Record<string, string>): Promise<string> {
  const script = `try { typeof require(${JSON.stringify(file)}).handler } catch (error) { error.message }`;
  const { stdout } = await run(process.execPath, ["-p", script], { env });
  return stdout.trim();
}

describe("every function's bundle", () => {
  test("starts with the names its deployment sets, and with no fewer", async () => {
    expect(bundles.map(({ name }) => name).toSorted()).toEqual(Object.keys(budget).toSorted());
    await Promise.all(
      bundles.map(async ({ file, env }) => {
        expect(await start(file, { ...lambdaEnv, ...env })).toBe("function");
        const optional: readonly string[] = optionalEnvNames;
        for (const missing of Object.keys(env).filter((each) => !optional.includes(each))) {
          const { [missing]: _, ...others } = env;
          expect(await start(file, { ...lambdaEnv, ...others })).toContain(`variable ${missing} is missing`);
        }
      }),
    );
  });

  test("what advance needs now and then is beside it, and can be imported", async () => {
    const { file = "" } = bundles.find(({ name }) => name === "Advance") ?? {};
    const apart = [
      "unpdf",
      "mammoth",
      "turndown",
      "@modelcontextprotocol/client",
      "@modelcontextprotocol/client/validators/ajv",
      "@opentelemetry/api",
      "@opentelemetry/exporter-trace-otlp-http",
      "@opentelemetry/resources",
      "@opentelemetry/sdk-trace",
    ];
    const folder = join(file, "..");
    const imports = `for (const name of ${JSON.stringify(apart)}) Object.keys(await import(name)).length || process.exit(1);`;
    await run(process.execPath, ["--input-type=module", "-e", imports], { cwd: folder, env: {} });
  });

  test.each(Object.entries(budget))("%s has at most %i KB", (name, most) => {
    const { file = "" } = bundles.find((bundle) => bundle.name === name) ?? {};
    expect(statSync(file).size / 1024).toBeLessThan(most);
  });
});

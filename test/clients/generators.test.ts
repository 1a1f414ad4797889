import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openapiDocument as ext } from "../../src/ext/generated/openapi.ts";
import { openapiDocument as manage } from "../../src/manage/generated/openapi.ts";
import { openapiDocument as v1 } from "../../src/v1/generated/openapi.ts";
import { run, succeed } from "../deploy/processes.ts";
import { javaGenerator, pythonGenerators, typescriptGenerators, works } from "./installations.ts";
import { emptyFolder } from "./installed-clients.ts";

const documents = Object.entries({ v1, ext, manage });
/** Paths that openapi-python-client cannot generate: their bodies are ZIP archives. */
const archives = ["GET /manage/v1/runs/{run_id}/export", "POST /manage/v1/agents/{agent_id}/runs/import"];

const folder = emptyFolder();
const documentOf = (name: string): string => join(folder, `${name}.json`);
const java = await javaGenerator();
const hasGo = await works("go", "version");

beforeAll(() => {
  for (const [name, document] of documents) writeFileSync(documentOf(name), document);
});

/** Milliseconds. Without other work, the slowest of these tests takes a minute. */
const timeout = 1_200_000;

test.each(documents)(
  "openapi-python-client makes a client of %s with all operations and models",
  { timeout },
  async (name) => {
    const bin = await pythonGenerators();
    const out = join(folder, `${name}_python`);
    const generate = ["generate", "--path", documentOf(name), "--output-path", out, "--meta", "none"];
    const { stdout, stderr } = await run(join(bin, "openapi-python-client"), generate, {
      env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}` },
    });
    const dropped = `${stdout}${stderr}`.match(/(?<=WARNING parsing )\S+ \S+|Unable to process schema \S+/g) ?? [];
    expect(dropped).toEqual(name === "manage" ? archives : []);
    const modules = readdirSync(join(out, "models")).map((file) => `import ${name}_python.models.${file.slice(0, -3)}`);
    await succeed(join(bin, "python"), ["-c", modules.filter((line) => !line.includes("__")).join("\n")], {
      cwd: folder,
    });
  },
);

test("hey-api makes clients that TypeScript accepts", { timeout }, async () => {
  const modules = await typescriptGenerators();
  for (const [name] of documents) {
    const input = ["-i", documentOf(name), "-o", join(folder, `${name}-ts`), "-c", "@hey-api/client-fetch"];
    await succeed("node", [join(modules, "@hey-api/openapi-ts/bin/run.js"), ...input, "--no-log-file"]);
  }
  const strict = ["--strict", "--noEmit", "--skipLibCheck", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"];
  const sources = documents.map(([name]) => join(folder, `${name}-ts/index.ts`));
  const compiled = ["--module", "esnext", "--moduleResolution", "bundler", ...sources];
  const { stdout } = await run("node", [join(modules, "typescript/bin/tsc"), ...strict, ...compiled]);
  expect(stdout).toBe("");
});

// One process makes all clients: Java takes seconds to start.
test.skipIf(java === undefined)("openapi-generator makes Python and Go clients that compile", { timeout }, async () => {
  const outputs = documents.flatMap(([name]) =>
    ["python", ...(hasGo ? ["go"] : [])].map((language) => [name, language]),
  );
  const configurations = outputs.map(([name = "", language = ""]) => {
    const configuration = join(folder, `${name}-${language}.config.json`);
    const parts = { apiTests: "false", modelTests: "false", apiDocs: "false", modelDocs: "false" };
    const properties = language === "go" ? { packageName: "api", isGoSubmodule: false } : {};
    const outputDir = join(folder, `${name}-${language}`);
    const input = { generatorName: language, inputSpec: documentOf(name), outputDir, globalProperties: parts };
    writeFileSync(configuration, JSON.stringify({ ...input, additionalProperties: properties }));
    return configuration;
  });
  await succeed("java", ["-jar", java ?? "", "batch", "--fail-fast", "--threads", "1", ...configurations]);
  for (const [name, language] of outputs) {
    const cwd = join(folder, `${name}-${language}`);
    const [command = "", ...args] =
      language === "go" ? ["go", "build", "./..."] : ["python3", "-m", "compileall", "-q", "."];
    await succeed(command, args, { cwd });
  }
});

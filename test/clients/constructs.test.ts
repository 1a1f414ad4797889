import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import packageFile from "../../package.json" with { type: "json" };
import { root } from "../integration/script.ts";
import { type Packed, pack } from "./npx.ts";

// `agent-run-service/cdk` in an app of an empty project, which has the package and CDK only.

const { "aws-cdk": cli, "aws-cdk-lib": library, constructs } = packageFile.devDependencies;
const program = `
  import { App, Stack } from "aws-cdk-lib";
  import { Agent, AgentRunService, ApiKey, Organization } from "agent-run-service/cdk";
  const stack = new Stack(new App(), "Shop");
  const service = new AgentRunService(stack, "Agents", { retentionDays: 30, availabilityZones: ["eu-central-1a", "eu-central-1b"] });
  const organization = new Organization(service, "Acme", { name: "Acme", model: { provider: "demo" } });
  const support = new Agent(service, "Support", { file: "support.json", organization });
  export const key = new ApiKey(service, "ShopKey", { agents: [support], name: "Shop" }).secret.secretArn;
`;

let packed: Packed;
beforeAll(async () => {
  packed = await pack();
  const { folder, tarball } = packed;
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  writeFileSync(join(folder, "app.mjs"), program);
  writeFileSync(join(folder, "app.ts"), program);
  writeFileSync(join(folder, "support.json"), JSON.stringify({ name: "Support", instructions: "Help." }));
  const packages = [`./${tarball}`, `aws-cdk-lib@${library}`, `constructs@${constructs}`, `aws-cdk@${cli}`];
  inFolder("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", ...packages);
});

function inFolder(command: string, ...args: string[]): string {
  const env = { ...packed.environment, CDK_DISABLE_CLI_TELEMETRY: "1" };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: packed.folder, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

test("cdk synth writes the service, its agents and the functions' code, without sources and esbuild", () => {
  expect(existsSync(join(packed.folder, "node_modules/esbuild"))).toBe(false);
  inFolder("node_modules/.bin/cdk", "synth", "--quiet", "--no-notices", "--app", `"${process.execPath}" app.mjs`);
  const output = join(packed.folder, "cdk.out");
  const template = JSON.parse(readFileSync(join(output, "Shop.template.json"), "utf8")) as {
    Resources: Record<string, { Type: string; Properties: { Code?: { S3Key?: string } } }>;
    Outputs: object;
  };
  const resources = Object.values(template.Resources);
  const types = resources.map(({ Type }) => Type).filter((type) => type.startsWith("Custom::AgentRun"));
  expect(types.toSorted()).toEqual(["Custom::AgentRunAgent", "Custom::AgentRunApiKey", "Custom::AgentRunOrganization"]);
  expect(Object.keys(template.Outputs)).toContain("OperatorPolicyArn");
  const codes = new Set(
    resources.flatMap(({ Type, Properties: { Code } }) =>
      Type === "AWS::Lambda::Function" ? (Code?.S3Key ?? []) : [],
    ),
  );
  expect(codes.size).toBeGreaterThan(12);
  for (const code of codes) {
    const files = readdirSync(join(output, `asset.${code.replace(".zip", "")}`));
    expect(files).toContain("index.js");
    if (files.includes("child.mjs"))
      expect(readdirSync(join(output, `asset.${code.replace(".zip", "")}`, "node_modules"))).toContain("unpdf");
  }
  const image = readdirSync(output).find((name) => existsSync(join(output, name, "Dockerfile"))) ?? "";
  const handler = readdirSync(join(output, image, "handler"));
  expect(handler).toEqual(expect.arrayContaining(["index.js", "child.mjs", "supervise.py", "node_modules"]));
});

test("has types, in ES modules and in CommonJS", () => {
  const wrong = `${program}\nnew AgentRunService(stack, "More", { retentionDays: "30" });`;
  writeFileSync(join(packed.folder, "wrong.ts"), wrong);
  const compilerOptions = { strict: true, target: "es2023", module: "nodenext", types: [], skipLibCheck: true };
  for (const type of ["module", "commonjs"]) {
    writeFileSync(join(packed.folder, "package.json"), JSON.stringify({ private: true, type }));
    writeFileSync(
      join(packed.folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["app.ts", "wrong.ts"] }),
    );
    const args = [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", packed.folder];
    const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(stdout.match(/[\w.]+\(\d+,\d+\): error \w+/g)).toEqual([
      expect.stringMatching(/^wrong.ts\(\d+,\d+\): error TS2322$/),
    ]);
  }
});

test("can be required by CommonJS", () => {
  const script = 'console.log(Object.keys(require("agent-run-service/cdk")).join())';
  expect(inFolder(process.execPath, "-e", script)).toBe("Agent,AgentRunService,ApiKey,Organization\n");
});

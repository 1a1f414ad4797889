import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readArguments } from "../../bin/deploy/arguments.ts";
import { main } from "../../bin/deploy/main.ts";
import { planOf } from "../../bin/deploy/plan.ts";

const folder = mkdtempSync(join(tmpdir(), "settings-"));

/** A file with this content. */
function fileOf(content: string): string {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  writeFileSync(file, content);
  return file;
}

/** The error of `npm run deploy`. */
async function errorOf(...args: string[]): Promise<string> {
  const errors: string[] = [];
  const status = await main(args, { out: () => {}, err: (text) => void errors.push(text) });
  expect(status).toBe(1);
  return errors.join("\n");
}

test("the settings of a file override cdk.json, and --context overrides the file", () => {
  const file = fileOf('{"stage": "beta", "retentionDays": 7, "largeBodies": "off", "corsOrigins": ""}');
  const { cdk } = readArguments(["--settings", file, "--context", "retentionDays=8"]);
  const { settings, stacks } = planOf(cdk);
  expect(stacks.map(({ name }) => name)).toEqual(["AgentRunService-beta"]);
  expect(settings).toMatchObject({ stage: "beta", retentionDays: 8, removal: "retain" });
  expect(readArguments([`--settings=${file}`]).cdk).toContain("retentionDays=7");
});

test.each([
  ["no JSON", "{stage}", /cannot be read: .*JSON/],
  ["a list", "[]", /has no settings; accepted: an object/],
  ["an object in it", '{"context": {"stage": "beta"}}', /context is {"stage":"beta"}; accepted: texts and numbers/],
  ["an unknown setting", '{"stages": "beta"}', /stages: unknown setting; accepted: stage, /],
])("a settings file is refused: %s", async (_, content, error) => {
  expect(await errorOf("--settings", fileOf(content))).toMatch(error);
});

test("what an assembly has decided, and a folder that is none, are refused", async () => {
  expect(await errorOf("--assembly", "cdk.out", "--context", "stage=dev")).toContain("--context has no effect");
  expect(await errorOf("--assembly", "cdk.out", "--template-only")).toContain("--template-only has no effect");
  expect(await errorOf("--assembly")).toContain("--assembly needs a value");
  expect(await errorOf("--assembly", folder)).toContain("agent-run-service.json is missing");
  const without = join(folder, "without");
  mkdirSync(without);
  writeFileSync(join(without, "agent-run-service.json"), "{}");
  writeFileSync(join(without, "manifest.json"), '{"version": "36.0.0", "artifacts": {}}');
  expect(await errorOf("--assembly", without)).toContain("has no stack AgentRunService-prod");
});

test("templates are not written for a setting that depends on the account", async () => {
  expect(await errorOf("--template-only")).toContain("concurrentRuns is auto, which depends on the account");
});

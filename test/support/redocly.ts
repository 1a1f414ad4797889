import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const cli = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"));
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Checks an OpenAPI document with Redocly's recommended rules. */
export async function lintDocument(json: string): Promise<{ totals: object; problems: unknown[] }> {
  const file = join(mkdtempSync(join(tmpdir(), "openapi-")), "openapi.json");
  writeFileSync(file, json);
  const lint = [cli, "lint", file, "--config", "redocly.yaml", "--format", "json"];
  const env = {
    PATH: process.env["PATH"],
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
    CI: "true",
  };
  const { stdout } = await promisify(execFile)(process.execPath, lint, { cwd: root, env });
  return JSON.parse(stdout.slice(stdout.indexOf("{"))) as { totals: object; problems: unknown[] };
}

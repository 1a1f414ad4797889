import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { root } from "../integration/script.ts";
import { type Service, startService } from "../integration/service.ts";
import { blocksOf, pageScript, runnable } from "./documentation/page-script.ts";

/** Pages for programs' authors. Their `sh`, `python` and `ts` blocks are run, in order, as a reader would. */
const pages = ["llms.txt", "docs/quickstart.md"];

let service: Service;
beforeAll(async () => {
  service = await startService();
  return () => service[Symbol.asyncDispose]();
});

test.each(pages)("%s: every command and program works", async (page) => {
  const blocks = runnable(blocksOf(readFileSync(join(root, page), "utf8")));
  expect(blocks.length).toBeGreaterThan(0);
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  const save = (name: string, code: string): string => {
    writeFileSync(join(folder, name), forService(code));
    return name;
  };
  const { code, log } = await bash(folder, forService(pageScript(blocks, save)));
  expect({ code, log }).toEqual({ code: 0, log });
});

/** Puts the test's service in the place of the reader's. */
function forService(text: string): string {
  return text.replaceAll("http://127.0.0.1:8787", service.baseUrl).replaceAll("ak_…", service.apiKey);
}

/** Runs a script in a folder. `log`: what it printed, the last 10,000 characters. */
function bash(folder: string, script: string): Promise<{ code: number | null; log: string }> {
  const env = { ...process.env, AGENT_RUN_URL: service.baseUrl, AGENT_RUN_KEY: service.apiKey };
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", script], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    let log = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (log += data.toString()));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, log: log.slice(-10_000) }));
  });
}

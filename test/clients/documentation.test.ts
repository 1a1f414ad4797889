import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { succeed } from "../deploy/processes.ts";
import { root } from "../integration/script.ts";
import { modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import { blocksOf, pageScript, runnable } from "./documentation/page-script.ts";
import { pageModel } from "./documentation/page-model.ts";
import { python } from "./python.ts";

/** The pages for programs' authors, but `docs/mcp.md`, whose programs `mcp.test.ts` runs. */
const pages = [
  "llms.txt",
  "docs/quickstart.md",
  "docs/extension-api.md",
  "docs/clients.md",
  "docs/events-and-webhooks.md",
  "clients/python/README.md",
  "clients/typescript/README.md",
  "skills/agent-run-service/SKILL.md",
];

// A reader goes through all pages in this order, in one folder: `docs/clients.md` installs the clients there.
let reader: { service: Service; folder: string; environment: Record<string, string | undefined> };
beforeAll(async () => {
  const model = await pageModel();
  const service = await startService(newDataDir(), modelAt(model.baseUrl));
  const folder = mkdtempSync(join(tmpdir(), "reader-"));
  const virtual = join(folder, ".venv");
  await succeed(await python("python"), ["-m", "venv", virtual]);
  const path = [join(virtual, "bin"), process.env["PATH"]].join(delimiter);
  const keys = { AGENT_RUN_URL: service.baseUrl, AGENT_RUN_KEY: service.apiKey };
  const environment = { ...process.env, ...keys, PATH: path };
  reader = { service, folder, environment };
  return async () => {
    await service[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  };
});

test.each(pages)("%s: every command and program works", async (page) => {
  const blocks = runnable(blocksOf(readFileSync(join(root, page), "utf8")));
  expect(blocks.length).toBeGreaterThan(0);
  const save = (name: string, code: string): string => {
    writeFileSync(join(reader.folder, name), forReader(code));
    return name;
  };
  const { code, log } = await bash(forReader(pageScript(blocks, save)));
  if (code !== 0) throw new Error(log); // an assertion would cut it
});

test("docs/clients.md: every program works with the demo model, too", async () => {
  const saved = join(reader.folder, "totals.csv");
  expect(readFileSync(saved, "utf8")).toBe("south,12\n"); // by the page, with a model
  rmSync(saved);
  await using service = await startService();
  const blocks = runnable(blocksOf(readFileSync(join(root, "docs/clients.md"), "utf8")));
  const programs = blocks.filter(({ language }) => language !== "sh");
  const save = (name: string, code: string): string => {
    writeFileSync(join(reader.folder, name), code);
    return name;
  };
  const keys = { AGENT_RUN_URL: service.baseUrl, AGENT_RUN_KEY: service.apiKey };
  const { code, log } = await bash(pageScript(programs, save), keys);
  if (code !== 0) throw new Error(log);
  expect(existsSync(saved)).toBe(false);
});

/** Puts the test's service and the clone in the place of the reader's. */
function forReader(text: string): string {
  return text
    .replaceAll("http://127.0.0.1:8787", reader.service.baseUrl)
    .replaceAll("ak_…", reader.service.apiKey)
    .replaceAll(" ./clients/", ` ${root}clients/`)
    .replaceAll("npm run -s admin --", `npm --prefix ${root} run -s admin -- --data-dir ${reader.service.dataDir}`);
}

/** Runs a script in the reader's folder. `log`: the last 10,000 characters that it printed. `keys`: other variables. */
function bash(script: string, keys = {}): Promise<{ code: number | null; log: string }> {
  const { folder: cwd, environment } = reader;
  const env = { ...environment, ...keys };
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", script], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let log = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (log += data.toString()));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, log: log.slice(-10_000) }));
  });
}

import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, test } from "vitest";
import packageFile from "../../package.json" with { type: "json" };
import { docx } from "../fixtures/documents.ts";
import { createRun, finished, modelAt } from "../integration/service.ts";
import { answersWithResult, callsTool, chatServer } from "../providers/chat-completions-server.ts";
import { exitOf, npx, npxResult, type Packed, pack } from "./npx.ts";

let packed: Packed;
beforeAll(async () => {
  packed = await pack();
});

test("contains the program, the console and the licences, and no sources or tests", () => {
  const { stdout } = spawnSync("tar", ["tzf", packed.tarball], { cwd: packed.folder, encoding: "utf8" });
  const files = stdout.trim().split("\n");
  const expected = [
    "LICENSE",
    "NOTICE",
    "README.md",
    "dist/package/agent-run-service.js",
    "dist/package/console/index.html",
  ];
  expect(files).toEqual(expect.arrayContaining(expected.map((name) => `package/${name}`)));
  const own = files.filter((name) => !name.includes("/node_modules/")); // packages of the sandbox's engines
  const sources = own.filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"));
  expect(sources).toEqual([]);
  expect(own.filter((name) => /^package\/(src|bin|lib|test|console)\//.test(name))).toEqual([]);
});

test("names its version and its options without a data directory", async () => {
  const found = { code: 0, stderr: "" };
  expect(await npxResult(packed, "--version")).toEqual({ ...found, stdout: `${packageFile.version}\n` });
  const help = await npxResult(packed, "help");
  expect(help).toEqual({ ...found, stdout: expect.stringMatching(/^Usage: npx \S+ \[options\]\n/) as string });
  expect(existsSync(join(packed.folder, ".data"))).toBe(false);
});

test("runs without a clone: starts, works on files in the sandbox, is operated, and ends at SIGTERM", async () => {
  const replies = [
    callsTool("read_file", { name: "offer.docx" }),
    callsTool("run_javascript", { code: "readFile('sales.csv').split('\\n').length" }),
    callsTool("run_python", {
      code: "best = max(open('sales.csv'), key=lambda line: int(line.split(',')[1]))\nopen('best.csv', 'w').write(best)\nprint(best, end='')",
    }),
    answersWithResult,
  ];
  await using model = await chatServer(...replies);
  await using service = await startPackage(modelAt(model.baseUrl));
  const tools = ["read_file", "run_javascript", "run_python"];
  writeFileSync(join(packed.folder, "agent.json"), JSON.stringify({ name: "Packed", instructions: "Work.", tools }));
  const agent = await adminJson("agent", "create", "--file", "agent.json");
  const { key: apiKey } = await adminJson("key", "create", "--agent", agent.id);
  const caller = { ...service, apiKey, templateId: agent.id };

  const files = {
    "sales.csv": Buffer.from("north,3\nsouth,12\nwest,7\n"),
    "offer.docx": docx("Our offer", "4,711 euro."),
  };
  const id = await createRun(caller, {
    name: "From the package",
    input_text: "Which region sold most?",
    files: Object.entries(files).map(([filename, content]) => ({
      filename,
      content_base64: content.toString("base64"),
    })),
  });
  const run = await finished(caller, id);
  expect(run.transcript.at(-1)?.text).toContain("It says: south,12\n");
  expect(run.loop_status).toBe("finished");
  expect(JSON.stringify(model.received)).toContain("4,711 euro.");

  const { stdout: list } = await npxResult(packed, "admin", "run", "list", "--agent", agent.id);
  expect(list).toContain(id);
  const { stdout: file } = await npxResult(packed, "admin", "run", "file", id, "best.csv");
  expect(file).toBe("south,12\n");
  const textAt = async (path: string) => (await fetch(new URL(path, service.baseUrl))).text();
  expect(await textAt("/console/")).toContain("<title>");
  expect(await textAt("/llms.txt")).toContain("# Agent Run Service");
  const mcp = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  await mcp.connect(new StreamableHTTPClientTransport(new URL("/mcp", service.baseUrl), { requestInit }));
  expect((await mcp.listTools()).tools.length).toBeGreaterThan(3);
  await mcp.close();

  await service.end();
  await expect(fetch(`${service.baseUrl}/v1/openapi.json`)).rejects.toThrow("fetch failed");
});

describe("names commands as they are typed with npx", () => {
  test("on the first screen", async () => {
    const child = npx(packed, "--port", "0");
    const exited = exitOf(child);
    let text = "";
    for await (const data of child.stdout) {
      text += String(data);
      if (text.includes("Ctrl-C")) child.kill("SIGTERM");
    }
    await exited;
    expect(text).toContain(`another: npx ./${packed.tarball} admin key create --agent `);
    expect(text).toContain(`in the middle of a run: npx ./${packed.tarball} demo\n`);
    expect(text).not.toContain("npm ");
    expect(existsSync(join(packed.folder, ".data"))).toBe(true);
  });

  test("in errors and help", async () => {
    const start = await npxResult(packed, "admin", "run", "list", "--data-dir", "missing");
    expect(start.stderr).toContain(`or run npx ./${packed.tarball} first`);
    const help = await npxResult(packed, "--help");
    expect(help.stdout).toContain(`  npx ./${packed.tarball} admin --help `);
    expect(help.stdout).not.toContain("npm ");
  });
});

test("does not deploy, and says what to do instead", async () => {
  const { code, stdout, stderr } = await npxResult(packed, "deploy", "AgentRunService-prod");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("clone the repository and run: npm run deploy");
  const unknown = await npxResult(packed, "strat");
  expect(unknown.stderr).toContain('unknown command "strat"; commands are admin, console, demo.');
});

test("the demo of two kills runs from the package", async () => {
  const { code, stdout } = await npxResult(packed, "demo", "--once", "--json", "--delay", "100");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ status: "finished", lost_events: 0 });
});

/** Starts the service as npx does. `end` sends SIGTERM to npx, and resolves when no process uses the data directory. */
async function startPackage(args: string[]) {
  const child = npx(packed, "--json", "--port", "0", ...args);
  const exited = exitOf(child);
  let errors = "";
  child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { value } = await lines.next();
  if (value === undefined) throw new Error(`the package did not start: ${errors}`);
  const ready = JSON.parse(value) as { base_url: string };
  const end = async () => {
    child.kill("SIGTERM");
    await exited;
    while (await lines.next().then(({ done }) => !done)); // standard output is closed when the service has ended
  };
  return { baseUrl: ready.base_url, end, [Symbol.asyncDispose]: end };
}

/** Runs an admin command that must succeed. Resolves with its JSON. */
async function adminJson(...args: string[]) {
  const { code, stdout, stderr } = await npxResult(packed, "admin", ...args, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Record<"id" | "key", string>;
}

import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import packageFile from "../../clients/typescript/package.json" with { type: "json" };
import { environment, run, succeed } from "../deploy/processes.ts";
import { root } from "../integration/script.ts";
import { modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import { answersWithResult, callsTool, chatServer } from "../providers/chat-completions-server.ts";
import { emptyFolder, installPythonClient, installTypescriptClient } from "./installed-clients.ts";
import { python } from "./python.ts";
import { json, scriptedServer } from "./scripted-server.ts";
import { checkTypes } from "./type-checkers.ts";

/** Runs a program in `cwd`, as a user of the service does. */
async function inFolder(cwd: string, service: Service, command: string, ...args: string[]) {
  const env = { AGENT_RUN_URL: service.baseUrl, AGENT_RUN_KEY: service.apiKey };
  return run("sh", ["-c", 'cd "$1" && shift && exec "$@"', "sh", cwd, command, ...args], { env: environment(env) });
}

/** `npm start` with a model that adds up the amounts of a table. */
async function serviceWithModel() {
  const code = `
    const total = parseCsv(readFile("sales.csv")).reduce((sum, row) => sum + Number(row.amount), 0);
    writeFile("total.csv", "total\\n" + total + "\\n");
    total`;
  const model = await chatServer(callsTool("run_javascript", { code }), answersWithResult);
  const service = await startService(newDataDir(), modelAt(model.baseUrl));
  return {
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

/** Runs an example in `folder`, and checks what it printed and saved. */
async function expectExampleToWork(folder: string, example: string, interpreter: string): Promise<void> {
  await using started = await serviceWithModel();
  copyFileSync(join(root, "examples", example), join(folder, example));
  writeFileSync(join(folder, "sales.csv"), "shop,amount\nA,40\nB,2\n");
  const args = [interpreter, example, "sales.csv", "total.csv"] as const;
  const { status, stdout, stderr } = await inFolder(folder, started.service, ...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout.split("\n").slice(0, 5)).toEqual(["input", "model_call", "tool_result", "model_call", "output"]);
  expect(stdout).toContain("It says: 42");
  expect(readFileSync(join(folder, "total.csv"), "utf8")).toBe("total\n42\n");
}

describe("the TypeScript package", () => {
  const folder = emptyFolder();
  beforeAll(() => installTypescriptClient(folder));

  test("contains the client, its licence and no sources", () => {
    const installed = join(folder, "node_modules/agent-run-client");
    expect(readdirSync(installed).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
    expect(readdirSync(join(installed, "dist"))).toEqual(expect.arrayContaining(["index.js", "index.d.ts"]));
  });

  test("runs an agent from an empty project", () => expectExampleToWork(folder, "run-agent.mjs", process.execPath));

  test("has types for a project without Node's types", async () => {
    const source = `
      import { AgentRuns, type Event, type Failure, RunFailed, type RunStatus } from "agent-run-client";
      const client = new AgentRuns({ baseUrl: "http://127.0.0.1:1", apiKey: "ak_1" });
      const onEvent = (event: Event): string => (event.type === "tool_result" ? event.text : event.type);
      export const run = await client.runs.createAndWait({ name: "Test", files: ["a"] }, { onEvent, timeout: 1 });
      for await (const event of run.events()) await run.wait({ after: event.sequence });
      export const blob = new Blob([await run.download("a")]);
      const sent = { find_order: async ({ order }: { order: number }) => ({ order }), ask_person: () => "Yes." };
      for (const call of run.openCalls) await run.answer(call, { output: [call.name] });
      export const served: string | null = (await run.serveTools(sent, { onEvent })).output;
      for await (const _ of run.events({ onText: (text, { turn }) => text.repeat(turn) }));
      export const state: "approval" | "client_tool" | "question" | undefined = run.openCalls[0]?.kind;
      void run.answer(run.openCalls[0]!, { decision: "deny", reason: "No." });
      void run.answer(run.openCalls[0]!, { decision: "maybe" });
      export const status: RunStatus = run.status;
      export const failure: Failure | null = run.failure;
      export const bytes: Uint8Array = await run.download("a");
      export const path: string = await run.download("a", { to: "." });
      export const wrong: Uint8Array = await run.download("a", { to: "." });
      void client.runs.create({ name: "Test", files: "a" });
      const page = await new AgentRuns({ maxRetries: 0, logger: console }).runs.listPage({ limit: 10 });
      export const next: string | null = page.data.length > 0 ? page.next : null;
      export const isFailure = (error: unknown): boolean => error instanceof RunFailed;`;
    writeFileSync(join(folder, "types.ts"), source);
    const compilerOptions = {
      strict: true,
      skipLibCheck: false,
      target: "es2022",
      module: "nodenext",
      types: [],
      lib: ["es2023", "dom"],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["types.ts"] }));
    const args = ["--noEmit", "-p", folder];
    const older = ["typescript-5.0", "typescript-5.4", "typescript-5.6"] as const;
    const ended = await Promise.all([run("tsc", args), ...older.map((name) => checkTypes(name, ...args))]);
    const errors = ended.map(({ stdout }) => stdout.match(/[\w.-]+\(\d+,\d+\): error \w+/g));
    const expected = [
      "types.ts(14,44): error TS2322",
      "types.ts(19,20): error TS2322",
      "types.ts(20,47): error TS2322",
    ];
    expect(errors).toEqual([expected, expected, expected, expected]);
  });

  test("infers the type of a result from the schemas of zod, TypeBox and JSON Schema", async () => {
    const packages = ["zod@4.6.7", "@sinclair/typebox@0.34.52", "typebox@1.4.3"];
    await succeed("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, ...packages]);
    const program = `
      import { z } from "zod";
      import { Type } from "@sinclair/typebox";
      import { Type as Type1 } from "typebox";
      import { AgentRuns } from "agent-run-client";
      const client = new AgentRuns();
      const Total = z.object({ total: z.number(), note: z.string().optional() });
      const create = { name: "Add", input: "Add up." };
      const ofZod = (await client.runs.createAndWait({ ...create, result: Total })).result;
      const ofTypeBox = (await client.runs.createAndWait({ ...create, result: Type.Object({ total: Type.Number() }) })).result;
      const ofTypeBox1 = (await client.runs.createAndWait({ ...create, result: Type1.Object({ total: Type1.Number() }) })).result;
      const json = { type: "object", properties: { total: { type: "number" }, kind: { enum: ["a", "b"] } }, required: ["total"] } as const;
      const ofJson = (await (await client.runs.create({ ...create, result: json })).wait()).result;
      console.log(JSON.stringify([ofZod, ofTypeBox, ofTypeBox1, ofJson]));`;
    const types = `
      export const numbers: number[] = [ofZod!.total, ofTypeBox!.total, ofTypeBox1!.total, ofJson!.total];
      export const note: string | undefined = ofZod!.note;
      export const kind: "a" | "b" | undefined = ofJson!.kind;
      export const unknown: unknown = (await client.runs.createAndWait(create)).result;
      export const wrong: string[] = [ofZod!.total, ofTypeBox!.total, ofTypeBox1!.total, ofJson!.total];`;
    writeFileSync(join(folder, "results.mjs"), program.replace(" as const", ""));
    writeFileSync(join(folder, "results.ts"), program + types);
    const compilerOptions = { strict: true, skipLibCheck: true, target: "es2022", module: "nodenext", types: ["node"] };
    const config = join(folder, "results.json");
    writeFileSync(config, JSON.stringify({ compilerOptions, files: ["results.ts"] }));
    const { stdout } = await run("tsc", ["--noEmit", "-p", config, "--typeRoots", join(root, "node_modules/@types")]);
    expect(stdout.match(/results.ts\(19,\d+\): error TS2322/g)).toHaveLength(4);
    expect(stdout.match(/error/g)).toHaveLength(4);
    await using service = await startService();
    const { stdout: printed, stderr } = await inFolder(folder, service, process.execPath, "results.mjs");
    expect([printed, stderr]).toEqual([
      '[{"total":1,"note":"demo"},{"total":1},{"total":1},{"total":1,"kind":"a"}]\n',
      "",
    ]);
  });

  test("works in a CommonJS project, also in a Node that cannot require ES modules", async () => {
    const project = join(folder, "commonjs");
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), "{}");
    const program = `
      const { AgentRuns, InvalidArgument } = require("agent-run-client");
      try { new AgentRuns({ baseUrl: "" }); } catch (error) { console.log(error instanceof InvalidArgument, AgentRuns.name); }`;
    writeFileSync(join(project, "program.js"), program);
    const args = ["--no-experimental-require-module", join(project, "program.js")];
    expect(await succeed("node", args)).toBe("true AgentRuns\n");
    writeFileSync(
      join(project, "types.ts"),
      `import { AgentRuns } from "agent-run-client";
       export const output = async (): Promise<string | null> => (await new AgentRuns().runs.get("a")).output;
       export const wrong = async (): Promise<number> => (await new AgentRuns().runs.get("a")).output;`,
    );
    const compilerOptions = { strict: true, target: "es2022", module: "node16", types: [], lib: ["es2023", "dom"] };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["types.ts"] }));
    const options = ["--noEmit", "-p", project];
    const ended = await Promise.all([run("tsc", options), checkTypes("typescript-5.0", ...options)]);
    const errors = ended.map(({ stdout }) => stdout.match(/[\w.-]+\(\d+,\d+\): error \w+/g));
    expect(errors).toEqual([["types.ts(3,58): error TS2322"], ["types.ts(3,58): error TS2322"]]);
  });

  // 31 KiB, of which 1.6 are for saving files in Node: downloads that continue, files that are streamed, and settings took 3,
  // schemas of results 0.5, answers and the text of streams 3, and what is said about mistakes 2.
  test("can be bundled for browsers", async () => {
    const { outputFiles } = await build({
      stdin: { contents: 'export * from "agent-run-client"', resolveDir: folder },
      bundle: true,
      format: "esm",
      minify: true,
      platform: "browser",
      write: false,
    });
    expect(outputFiles[0]!.contents.length).toBeLessThan(31 * 1024);
  });
});

describe("the Python package", () => {
  const folder = emptyFolder();
  let interpreter: string;
  beforeAll(async () => {
    interpreter = await installPythonClient(folder);
  });

  test("runs an agent from an empty project", () => expectExampleToWork(folder, "run_agent.py", interpreter));

  test("has the version of its package, and sends it", async () => {
    await using server = await scriptedServer();
    const { url, received } = server.script(json(200, { id: "a", max_inline_bytes: 10, wait_seconds: 0 }));
    const program = `
import importlib.metadata, agent_runs
with agent_runs.AgentRuns("${url}", "ak_1") as client:
    client.agent()
print(importlib.metadata.version("agent-run-client"), agent_runs.__version__)`;
    const { version } = packageFile;
    expect(await succeed(interpreter, ["-c", program])).toBe(`${version} ${version}\n`);
    expect(received[0]!.headers["user-agent"]).toBe(`agent-run-client/${version} (python)`);
  });

  test("returns a result as an instance of a pydantic model", async () => {
    await succeed(join(interpreter, "../pip"), [
      "install",
      "--quiet",
      "--disable-pip-version-check",
      "pydantic==2.14.4",
    ]);
    await using service = await startService();
    const program = `
import pickle
from typing import Optional

import pydantic
from agent_runs import AgentRuns

class Total(pydantic.BaseModel):
    total: float
    note: Optional[str] = None

with AgentRuns() as client:
    run = client.runs.create_and_wait(name="Add", input="Add up.", result=Total)
    assert isinstance(run.result, Total), run.output
    print(run.result.total, pickle.loads(pickle.dumps(run)).result == run.result)
    print(client.runs.create(name="Add", input="Add up.", result=Total.model_json_schema()).wait().result["total"])
    try:
        client.runs.create(name="Add", result=["total"])
    except ValueError as error:
        print(error)
`;
    writeFileSync(join(folder, "results.py"), program);
    const { stdout, stderr } = await inFolder(folder, service, interpreter, "results.py");
    expect([stdout, stderr]).toEqual([
      "1.0 True\n1\nresult is a list; accepted: a pydantic model class, or a JSON Schema as a dict\n",
      "",
    ]);
  });

  test("has types", async () => {
    const source = `
from pathlib import Path

from agent_runs import AgentRuns, Event, FileInput, FileInputs

def show(event: Event) -> str:
    return event["text"] if event["type"] == "tool_result" else event["type"]

client = AgentRuns("http://127.0.0.1:1", "ak_1")
run = client.runs.create_and_wait(name="Test", files=["a"], on_event=show)
for event in run.events():
    run.wait(after=event["sequence"])
name: str | None = run.name
output: str | None = run.data["output"]
started: str | None = run.data["turn_started_at"]
content: bytes = run.download("a")
wrong: bytes = run.download("a", to=".")

page = client.runs.list_page(limit=10)
following: str | None = page.next
paths: list[Path] = [Path("a")]
inputs: list[FileInput] = ["a", ("b", b"")]
client.runs.create(name="Test", files=["a", Path("b"), ("c", b"")])
client.runs.create(name="Test", files={"a"})
client.runs.create(name="Test", files=[open("a", "rb"), ("b", open("b", "rb"))])
client.runs.create(name="Test", files=(Path("a"), "b"))
accepted: FileInputs = paths
accepted = inputs
accepted = Path().glob("*")
accepted = (each for each in inputs)
client.runs.create(name="Test", files="a")
client.runs.create(name="Test", files=Path("a"))
client.runs.create(name="Test", files=("a", b""))
client.runs.create(name="Test", files=[open("a")])
for call in run.open_calls:
    run.answer(call, output=[call["name"]])
    run.answer(call, allow=call["kind"] == "approval", reason="No.")
    run.answer(call, allow="yes")
served: str | None = run.serve_tools({"find_order": lambda arguments: arguments["order"]}, on_event=show).output
for event in run.events(on_text=lambda text, place: text * place.turn):
    print(event["text"] if event["type"] == "call_answered" else event["type"])
`;
    writeFileSync(join(folder, "program.py"), source);
    const options = ["--strict", "--python-executable", interpreter, "--cache-dir", join(folder, "cache")];
    const { stdout } = await run(await python("mypy"), [...options, join(folder, "program.py")]);
    expect(stdout.match(/program.py:.*: error: .*\[.*/g)).toEqual([
      expect.stringMatching(/:17: .*Incompatible types in assignment/),
      expect.stringMatching(/:31: error: Argument "files" .* has incompatible type "str"/),
      expect.stringMatching(/:32: error: Argument "files" .* has incompatible type "Path"/),
      expect.stringMatching(/:33: error: Argument "files" .* has incompatible type "tuple\[str, bytes\]"/),
      expect.stringMatching(/:34: error: List item 0 has incompatible type "TextIOWrapper/),
      expect.stringMatching(/:38: error: Argument "allow" .* has incompatible type "str"/),
    ]);
    const pyright = await checkTypes("pyright", "--pythonpath", interpreter, join(folder, "program.py"));
    expect(pyright.stdout.match(/(?<=program\.py:)\d+(?=:\d+ - error)/g)).toEqual(["17", "31", "32", "33", "34", "38"]);
  });
});
